"""A Slurm of our own on this machine: slurmctld, munged and two slurmds that stand for two nodes.

    private_slurm.py start FOLDER | stop FOLDER       for trying things by hand; start prints what to export

No service of the system is touched: own ports, own key, own folder; processes are stopped by their pid files.
"""
import getpass
import itertools
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel", "srun")
NODES = ("n1", "n2")
DAEMONS = ("slurmd-n1", "slurmd-n2", "slurmctld", "munged")

CONFIGURATION = """\
ClusterName=trestle
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
# A requeued job waits until the credential of its former start has expired: 120 s by default.
AuthInfo=socket={run}/munge/run/munge.socket,cred_expire={expire}
CryptoType=crypto/munge
SlurmctldPort={ports[0]}
StateSaveLocation={run}/state
SlurmdSpoolDir={run}/spool/%n
SlurmctldPidFile={run}/slurmctld.pid
SlurmdPidFile={run}/slurmd-%n.pid
SlurmctldLogFile={run}/log/slurmctld.log
SlurmdLogFile={run}/log/slurmd-%n.log
SlurmctldDebug=info
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmctldParameters=preempt_send_user_signal
JobRequeue=1
JobFileAppend=1
KillWait={kill_wait}
SlurmdTimeout=20
MinJobAge=300
SchedulerParameters=sched_interval=2,sched_min_interval=100000
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
NodeName=n[1-2] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{ports[1]}-{ports[2]}] CPUs=2 RealMemory=4000 State=UNKNOWN
PartitionName=spot Nodes=n[1-2] Default=YES PriorityTier=1 PreemptMode=REQUEUE GraceTime={grace} MaxTime=INFINITE OverSubscribe=NO
PartitionName=high Nodes=n[1-2] PriorityTier=10 PreemptMode=OFF OverSubscribe=NO
"""


def missing_programs():
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    return [name for name in PROGRAMS if shutil.which(name, path=path) is None]


taken = itertools.count(17001 + os.getpid() % 10000, 7)  # by other Slurms of this process


def free_ports():
    """A port, and two that stand side by side."""
    for first in itertools.takewhile(lambda port: port < 60000, taken):
        sockets = []
        try:
            for port in (first, first + 1, first + 2):
                sockets.append(socket.socket())
                sockets[-1].bind(("127.0.0.1", port))
            return (first, first + 1, first + 2)
        except OSError:
            continue
        finally:
            for one in sockets:
                one.close()
    raise RuntimeError("no three free ports side by side")


class PrivateSlurm:
    def __init__(self, folder=None, grace=20, kill_wait=10, expire=5):
        self.run = pathlib.Path(folder or tempfile.mkdtemp(prefix="trestle-slurm-", dir="/tmp"))
        self.environment = dict(os.environ, SLURM_CONF=str(self.run / "slurm.conf"), LC_ALL="C",
                                PATH=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
        for name in list(self.environment):
            if name.startswith(("SLURM_", "SBATCH_")) and name != "SLURM_CONF":
                del self.environment[name]
        self.settings = dict(grace=grace, kill_wait=kill_wait, expire=expire)

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        for folder in ("state", "log", "spool/n1", "spool/n2", "munge/run", "munge/log", "munge/lib"):
            (self.run / folder).mkdir(parents=True, exist_ok=True)
        self.run.chmod(0o755)
        (self.run / "munge/run").chmod(0o755)  # clients of any user must reach the socket
        (self.run / "munge").chmod(0o755)
        key = self.run / "munge/key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        host = socket.gethostname().split(".")[0]
        (self.run / "slurm.conf").write_text(CONFIGURATION.format(
            run=self.run, host=host, user=getpass.getuser(), ports=free_ports(), **self.settings))
        self.start_munged()
        self.daemon("slurmctld", "-c")
        for node in NODES:
            self.daemon("slurmd", "-N", node)
        self.wait_until(lambda: self.output("sinfo", "-h", "-o", "%T %D").split() == ["idle", "2"] * 1, 30,
                        "both nodes idle")

    def daemon(self, *words):
        subprocess.run(["setsid", *words], env=self.environment, check=True, stdin=subprocess.DEVNULL, timeout=30)

    def start_munged(self):
        munge = self.run / "munge"
        self.wait_until(lambda: not alive(self.pid("munged")), 60, "an earlier munged is gone")
        self.daemon("munged", f"--key-file={munge}/key", f"--socket={munge}/run/munge.socket", f"--pid-file={self.run}/munged.pid",
                    f"--log-file={munge}/log/munged.log", f"--seed-file={munge}/lib/seed", "--num-threads=4")

    def log(self, name):
        return (self.run / f"log/{name}.log").read_text(errors="replace")

    def start_node(self, node):
        self.daemon("slurmd", "-N", node)

    def pid(self, name):
        try:
            return int((self.run / f"{name}.pid").read_text())
        except (OSError, ValueError):
            return None

    def kill(self, name, number=signal.SIGKILL):
        pid = self.pid(name)
        if pid:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def stop(self):
        try:
            self.end_jobs()
        except (subprocess.SubprocessError, OSError, RuntimeError, AssertionError):
            pass
        for name in DAEMONS:
            self.kill(name, signal.SIGTERM)
        end = time.monotonic() + 10
        while time.monotonic() < end and any(alive(self.pid(n)) for n in DAEMONS):
            time.sleep(0.1)
        for name in DAEMONS:
            self.kill(name)
        for pid in self.processes():  # of jobs that did not end, or whose node was lost
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def end_jobs(self):
        """While slurmctld is there to tell the nodes; what it leaves behind nobody would end."""
        for options in ((), ("--signal=KILL", "--full")):
            self.output("scancel", *options, "-u", getpass.getuser())
            try:
                self.wait_until(lambda: self.output("squeue", "-h").strip() == "", self.settings["kill_wait"] / 2, "no job is left")
                return
            except AssertionError:
                pass

    def processes(self, job=None):
        """Of a job of this Slurm, or of all: Slurm's own process of each step first, then all that it started."""
        wanted = {f"SLURM_CONF={self.run}/slurm.conf".encode()}
        steps, started = [], []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                variables = set(pathlib.Path(f"/proc/{name}/environ").read_bytes().split(b"\0"))
                title = pathlib.Path(f"/proc/{name}/cmdline").read_bytes()
            except OSError:
                continue
            if not wanted <= variables:
                continue
            if title.startswith(b"slurmstepd: [" if job is None else f"slurmstepd: [{job}.".encode()):
                steps.append(int(name))
            elif any(one.startswith(b"SLURM_JOB_ID=") if job is None else one == f"SLURM_JOB_ID={job}".encode() for one in variables):
                started.append(int(name))
        return [*steps, *started]

    def output(self, *words, check=True):
        done = subprocess.run(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=60)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, words))}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def job(self, number):
        """What Slurm knows of a job, as a dictionary."""
        text = self.output("scontrol", "-o", "show", "job", str(number))
        return dict(word.split("=", 1) for word in text.split() if "=" in word)

    def state(self, number):
        return self.job(number)["JobState"]

    def start_now(self, number):
        """Ends the wait of a requeued job."""
        self.output("scontrol", "update", f"jobid={number}", "starttime=now", check=False)

    @staticmethod
    def wait_until(holds, seconds, what):
        end = time.monotonic() + seconds
        while True:
            try:
                if holds():
                    return
            except (RuntimeError, KeyError):
                pass
            if time.monotonic() > end:
                raise AssertionError(f"not within {seconds} s: {what}")
            time.sleep(0.2)


def alive(pid):
    """Whether a process lives; `pid` may be None, as that of a daemon whose file is gone."""
    if not pid:
        return False
    try:
        os.kill(pid, 0)
        return not pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except (ProcessLookupError, OSError):
        return False


if __name__ == "__main__":
    slurm = PrivateSlurm(pathlib.Path(sys.argv[2]).absolute())
    if sys.argv[1] == "start":
        slurm.start()
        print(f"export SLURM_CONF={slurm.run}/slurm.conf")
    else:
        slurm.stop()
