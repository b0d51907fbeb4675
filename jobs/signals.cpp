// No translation unit of this folder yet.
