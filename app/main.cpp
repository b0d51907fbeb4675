// The command line of Trestle.
int main() { return 64; }
