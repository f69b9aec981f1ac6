"""Test `tercet serve`: the commands' answers, jobs, limits, restarts; attacks; the client."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra tercet[web] is not installed")
httpx = pytest.importorskip("httpx", reason="httpx is not installed")

import tercet  # noqa: E402
from tercet import examples  # noqa: E402
from tercet.errors import UsageError  # noqa: E402
from tercet.options import declared  # noqa: E402
from tercet.tasks.serve import requests  # noqa: E402
from tercet.tasks.serve.callers import new_token  # noqa: E402
from tercet.tasks.serve.queueing import ATTEMPTS, JobFile  # noqa: E402
from tercet.tasks.serve.requests import TASKS, Allowed, Request, build, command_of, read_form  # noqa: E402

REFUSED = {  # options that belong to the server, to its disk or to a terminal
    "allow_download", "trust_pickle", "trust_features", "allow_network", "kb", "save", "track", "track_system", "tags",
    "keep_texts", "merge", "echo", "listing", "download", "cite", "version", "encoding", "no_color", "force",
    "annotate", "in_place", "jobs", "cluster", "cache", "quiet", "junit", "parser", "to", "server", "token",
}  # fmt: skip
TEXTS = {"outputs": {"a": ["the cat sat", "a dog"]}, "references": {"r": ["the cat sat down", "a dog"]}}
SECRET = "Zweimal zwölf Sätze"  # a text that no log may have


class Server:
    """A server as a process of its own."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.folder, self.words = folder, words

    def start(self) -> "Server":
        command = [sys.executable, "-m", "tercet", "serve", "--port", "0", "--folder", str(self.folder / "jobs")]
        self.errors = (self.folder / "log").open("a+")
        self.begin = self.errors.tell()
        self.process = subprocess.Popen([*command, *self.words], stderr=self.errors, cwd=self.folder)
        for _ in range(600):
            found = re.findall(r"Serving at (\S+)", self.log()[self.begin :])
            if found:
                self.url = found[0]
                self.http = httpx.Client(base_url=self.url, timeout=120)
                return self
            assert self.process.poll() is None, self.log()
            time.sleep(0.05)
        raise AssertionError(self.log())

    def log(self) -> str:
        return (self.folder / "log").read_text("utf-8")

    def stop(self, how: int = signal.SIGTERM) -> None:
        self.process.send_signal(how)
        self.process.wait(30)
        self.http.close()
        self.errors.close()

    def ask(self, task: str, body: Any = None, **options: Any) -> Any:
        return self.http.post(f"/{task}", json={**TEXTS, **(body or {})}, **options)

    def wait_for(self, job: str) -> dict[str, Any]:
        for _ in range(600):
            about = self.http.get(job).json()
            if about["state"] not in ("queued", "running"):
                return about
            time.sleep(0.05)
        raise AssertionError(about)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("serve")
    examples.write("en-de", folder)
    opened = Server(folder, "--cache", "cache", "--size", "1.5", "--queue", "6", "--metric", "plus=chrf:word_order=2")
    yield opened.start()
    opened.stop()


def command(server: Server, *words: str) -> bytes:
    done = subprocess.run([sys.executable, "-m", "tercet", *words], cwd=server.folder, capture_output=True, check=False)
    return done.stdout


@pytest.mark.parametrize(
    ("task", "options", "words"),
    [
        ("score", {"metrics": ["bleu", "chrf"], "confidence": "true"}, "-m bleu chrf -ci"),
        ("compare", {"metrics": ["chrf"], "gates": "chrf drops"}, "-m chrf --fail-if @"),
        ("explain", {"metrics": ["ter"], "segment": "3"}, "-m ter -n 3"),
        ("check", {}, ""),
    ],
)  # fmt: skip
def test_an_answer_is_what_the_command_prints(server: Server, task: str, options: Any, words: str) -> None:
    names = ("Alder.txt", "Birch.txt")
    files = [("references", ("refA.txt", (server.folder / "refA.txt").read_bytes()))]
    files += [("outputs", (name, (server.folder / name).read_bytes())) for name in names]
    answer = server.http.post(f"/{task}", data=options, files=files)
    given = [word.replace("@", "chrf drops") for word in words.split()]
    expected = command(server, task, "refA.txt", "-i", *names, *given, "-f", "json")
    assert (answer.status_code, answer.content) == (200, expected)
    inline = {name: (server.folder / name).read_text("utf-8").splitlines() for name in ("refA.txt", *names)}
    body = {**options, "references": {"refA.txt": inline.pop("refA.txt")}, "outputs": inline}
    body |= {name: json.loads(value) for name, value in options.items() if name in ("confidence", "segment")}
    assert server.http.post(f"/{task}", json=body).content == expected


def test_quality_is_estimated(server: Server) -> None:
    pytest.importorskip("onnxruntime")
    (server.folder / "mt").write_text("A cat.\nGood day.\n")
    asked = {"source": ["Eine Katze.", "Guten Tag."], "output": {"mt": ["A cat.", "Good day."]}, "languages": "de-en"}
    answer = server.http.post("/qe", json=asked)
    (server.folder / "source").write_text("Eine Katze.\nGuten Tag.\n")
    assert answer.content == command(server, *"qe predict default source mt -l de-en -f json".split())


def test_the_client_has_the_librarys_results(server: Server) -> None:
    client, testset = tercet.Client(server.url), tercet.demo("en-de")
    for metrics in (["bleu", "chrf"], "ter"):
        remote, here = (each.score(testset, metrics, confidence=0.9, by="length") for each in (client, tercet))
        assert remote.records() == here.records()
    assert client.compare(testset, ["chrf"]).to_dict() == tercet.compare(testset, ["chrf"]).to_dict()
    assert client.explain(testset, "chrf", segment=2)[0]["segment"] == 2
    assert isinstance(client.check(testset), list)
    with pytest.raises(UsageError, match="Did you mean chrf"):
        client.score(testset, ["chrff"])
    with pytest.raises(UsageError, match="has none"):
        client.score(tercet.TestSet({"a": ["x"]}), ["chrf"])
    with pytest.raises(UsageError, match="No server answers"):
        tercet.Client("http://127.0.0.1:1").score(testset)
    with pytest.raises(UsageError, match="address of a server"):
        tercet.Client("file:///etc/passwd")


def test_score_with_a_server_prints_what_it_prints_here(server: Server) -> None:
    words = "score refA.txt refB.txt -i Alder.txt Birch.txt -m chrf ter -f json -pbs".split()
    assert command(server, *words, "--server", server.url) == command(server, *words) != b""


def test_a_large_request_becomes_a_job_with_progress(server: Server) -> None:
    lines = [f"the cat number {i} sat on a mat" for i in range(20_000)]
    answer = server.http.post("/score", json={"outputs": {"a": lines}, "references": {"r": lines}, "metrics": ["bleu"]})
    assert answer.status_code == 202 and answer.json()["state"] == "queued"
    about = server.wait_for(answer.headers["location"])
    assert (about["state"], about["status"]) == ("done", 200)
    result = server.http.get(about["result"])
    assert result.json()[0]["score"] == pytest.approx(100)
    assert about["id"] in [each["id"] for each in server.http.get("/jobs").json()]
    assert server.http.get("/jobs/nothing").status_code == 404


def slow(number: int = 0, systems: int = 8) -> dict[str, Any]:
    """A small request that takes about a second per system: very many resamples."""
    lines = [f"the cat {i % 7} sat on {i % 11 + number}" for i in range(1500)]
    outputs = {f"s{i}": lines for i in range(systems)}
    return {"outputs": outputs, "references": {"r": lines[::-1]}, "metrics": ["chrf"], "confidence": True,
            "confidence_n": 100_000}  # fmt: skip


def very_slow() -> dict[str, Any]:
    """A small request for `compare` that takes half a minute."""
    lines = [f"the cat {i % 7} sat on {i % 11}" for i in range(1500)]
    outputs = {f"s{i}": lines[i:] + lines[:i] for i in range(12)}
    metrics = [f"chrf:beta={beta}" for beta in range(1, 11)]
    return {"outputs": outputs, "references": {"r": lines[::-1]}, "metrics": metrics, "resamples": 100_000}


def test_callers_who_need_the_same_encoder_are_encoded_together(server: Server) -> None:
    pytest.importorskip("onnxruntime")
    body = {**TEXTS, "metrics": ["bertscore"], "pair": "de-en"}
    alone = server.http.post("/score", json=body).content
    found: list[bytes] = []

    def ask(number: int) -> None:
        texts = {"outputs": {"a": ["the cat sat", f"{number} dogs"]}} if number else {}
        found.append(server.http.post("/score", json=body | texts).content)

    ahead = {"Prefer": "respond-async"}
    busy = server.http.post("/compare", json=very_slow(), headers=ahead).headers["location"]
    callers = [threading.Thread(target=ask, args=(n % 3,)) for n in range(5)]
    for each in callers:
        each.start()
    while server.http.get("/healthz").json()["waiting"] < 5:
        time.sleep(0.05)
    server.http.delete(busy)
    for each in callers:
        each.join()
    together = re.search(r"tercet_encoded_together_total (\d+)", server.http.get("/metrics").text)
    assert together is not None and int(together[1]) >= 2
    assert len(set(found)) == 3 and alone in found  # the same as without others


def test_a_job_is_cancelled_and_the_queue_has_an_end(server: Server) -> None:
    ahead = {"Prefer": "respond-async"}
    made = [server.http.post("/score", json=slow(n), headers=ahead) for n in range(12)]
    codes = [each.status_code for each in made]
    assert set(codes) == {202, 429} and codes.count(202) >= 6
    refused = next(each for each in made if each.status_code == 429)
    assert int(refused.headers["retry-after"]) >= 1 and "Try again" in refused.json()["error"]
    jobs = [each.headers["location"] for each in made if each.status_code == 202]
    assert {server.http.delete(job).json()["state"] for job in jobs} == {"cancelled"}
    assert server.http.get(f"{jobs[-1]}/result").status_code == 409
    for _ in range(100):  # a new worker answers
        answer = server.ask("score")
        if answer.status_code == 200:
            break
        time.sleep(0.1)
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"outputs": ["/etc/passwd"]}, 400, "no text called '/etc/passwd'"),
        ({"outputs": {"../a": ["x"]}}, 400, "cannot be the name of a text"),
        ({"outputs": {"a": ["x\ny"]}}, 400, "Segment 1 of 'a' has a line break"),
        ({"outputs": {"a": [1]}}, 400, "Segment 1 of 'a' is not a text"),
        ({"outputs": {"a": ["\ud800"]}}, 400, "lone surrogate"),
        ({"outputs": {"r": ["x"]}}, 400, "Two texts are called 'r'"),
        ({"files": {"a=b": "x"}}, 400, "cannot be the name"),
        ({"files": {"a": {"base64": "*"}}}, 400, "not base64"),
        ({"test_set": "/data/wmt"}, 400, "no text called"),
        ({"source": "../../etc/passwd"}, 400, "no text called"),
        ({"metrics": ["evil.py:Metric"]}, 400, "names a file, code or a service"),
        ({"metrics": ["/tmp/evil.py"]}, 400, "names a file, code or a service"),
        ({"metrics": ["mine.toml"]}, 400, "names a file, code or a service"),
        ({"metrics": ["mean:of=mine.toml+bleu"]}, 400, "names a file, code or a service"),
        ({"metrics": ["comet:model=/models/x"]}, 400, "names a file, code or a service"),
        ({"metrics": ["learned:model=x"]}, 400, "names a file, code or a service"),
        ({"metrics": ["qe:model=x"]}, 400, "names a file, code or a service"),
        ({"metrics": ["QE|nrefs:0|model:x|version:1"]}, 400, "names a file, code or a service"),
        ({"metrics": ["bertscore:encoder=hf:/tmp"]}, 400, "names a file, code or a service"),
        ({"metrics": ["bertscore:allow_download=true"]}, 400, "names a file, code or a service"),
        ({"metrics": ["cobalt:parser=spacy:/tmp/x"]}, 400, "names a file, code or a service"),
        ({"metrics": ["mean:of=chrf+kobe:kb=/etc"]}, 400, "names a file, code or a service"),
        ({"metrics": ["judge:model=x,endpoint=http://evil"]}, 400, "names a file, code or a service"),
        ({"metrics": ["BLEU|nrefs:1|tok:/etc/x"]}, 400, "names a file, code or a service"),
        ({"metrics": [["bleu"]]}, 400, "list of names"),
        ({"save": "/tmp/x"}, 400, "belongs to the computer"),
        ({"track": "runs.db"}, 400, "belongs to the computer"),
        ({"jobs": 64}, 400, "belongs to the computer"),
        ({"cache": "/"}, 400, "belongs to the computer"),
        ({"cluster": "tcp://evil:1"}, 400, "belongs to the computer"),
        ({"server": "http://169.254.169.254"}, 400, "belongs to the computer"),
        ({"confidence_n": 10**9}, 400, "at most 100,000"),
        ({"nothing": 1}, 400, "no option of score called 'nothing'"),
        ({"outputs": {}}, 400, "No output is given"),
        ({"width": "many"}, 400, "`width`"),
        ({"references": {"r": ["only one"]}}, 422, "not parallel"),
    ],
)
def test_what_a_request_may_not_have_is_refused(server: Server, body: Any, status: int, message: str) -> None:
    data = json.dumps({**TEXTS, **body})
    answer = server.http.post("/score", content=data, headers={"Content-Type": "application/json"})
    assert (answer.status_code, message in answer.json()["error"]) == (status, True), answer.text


def test_groups_name_only_texts_of_the_request(server: Server) -> None:
    for name, value in (
        ("slices", "terms:/etc/passwd"),
        ("only", "entities:spacy:/tmp"),
        ("training_file", "/etc/passwd"),
    ):
        answer = server.ask("compare", {name: [value] if name != "training_file" else value, "words": ["frequency"]})
        assert answer.status_code == 400
    assert server.ask("compare", {"parser": "spacy:/tmp"}).status_code == 400
    assert server.http.post("/qe", json={"model": "/etc/x", "source": ["a"], "output": ["b"]}).status_code == 400


def test_no_other_site_and_no_other_name_gets_in(server: Server) -> None:
    assert server.ask("score", headers={"Origin": "http://evil.invalid"}).status_code == 403
    assert server.ask("score", headers={"Host": "evil.invalid"}).status_code == 403
    assert (
        server.http.post("/score", content=json.dumps(TEXTS), headers={"Content-Type": "text/plain"}).status_code == 400
    )
    assert server.http.get("/score").status_code == 405
    for path in ("/static/../server.py", "/static/%2e%2e/style.css", "/etc/passwd"):
        assert server.http.get(path).status_code == 404


def test_bodies_that_are_too_large_broken_or_ambiguous_are_refused(server: Server) -> None:
    big = server.http.post("/score", content=b"x" * 1_600_000, headers={"Content-Type": "application/json"})
    assert big.status_code == 413
    for body in (b"", b"[]", b"{", b'{"files": []}', b"[" * 100_000, b"\xff"):
        answer = server.http.post("/score", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == 400, body[:10]
    for body in (b"", b"--x--", b"--x\r\n\r\n\r\n--x--", b"--x\r\nContent-Disposition: form-data\r\n\r\na\r\n--x--"):
        answer = server.http.post("/score", content=body, headers={"Content-Type": "multipart/form-data; boundary=x"})
        assert answer.status_code == 400
    two = {"Content-Length": "2", "Transfer-Encoding": "chunked", "Content-Type": "application/json"}
    assert server.http.request("POST", "/score", content=b"{}", headers=two).status_code == 400


def test_logs_and_numbers_have_no_texts(server: Server) -> None:
    server.ask("score", {"outputs": {"a": [SECRET, "a dog"]}})
    server.ask("score", {"outputs": {"a": [SECRET]}})
    lines = [json.loads(line) for line in server.log().split("\n") if line.startswith("{")]
    assert {"task", "caller", "bytes", "status", "seconds"} <= lines[-1].keys()
    assert "Zweimal" not in server.log()
    numbers = server.http.get("/metrics").text
    assert re.search(r'tercet_requests_total\{task="score",status="200"\} \d+', numbers)
    assert all(
        re.fullmatch(r"# TYPE \w+ (counter|gauge)|\w+(\{[^}]*\})? [\d.]+", line) for line in numbers.splitlines()
    )
    assert server.http.get("/healthz").json()["status"] == "ok"


def test_pages_have_security_headers_and_the_form_answers_with_a_page(server: Server) -> None:
    page = server.http.get("/")
    assert "unsafe" not in page.headers["content-security-policy"]
    form = {
        "task": "compare",
        "metrics": "chrf",
        "text.references": "a cat\r\na dog",
        "text.outputs": "a cat\r\nthe dog",
    }
    answer = server.http.post("/form", data=form, files={"outputs": ("b.txt", b"<script>x</script>\na dog\n")})
    assert (
        answer.status_code == 200 and "<title>outputs and b</title>" in answer.text and "<script>x" not in answer.text
    )
    assert answer.headers["content-security-policy"].startswith("sandbox")
    wrong = server.http.post("/form", data=form | {"metrics": "<b>x"}, files={"outputs": ("b.txt", b"a\nb\n")})
    assert wrong.status_code == 400 and "&lt;b&gt;" in wrong.text


def test_the_description_names_every_option(server: Server) -> None:
    found = server.http.get("/openapi.json").json()
    for task in TASKS:
        schema = found["paths"][f"/{task}"]["post"]["requestBody"]["content"]["application/json"]["schema"]
        assert set(schema["properties"]) == {each.name for each in requests.accepted(task)} | {"files"}
    assert server.ask("score", {"metrics": ["plus"]}).json()[0]["name"] == "chrF2++"  # what the operator offers


@pytest.mark.parametrize(
    ("task", "given", "message"),
    [
        ("qe", {"output": TEXTS["outputs"]}, "`source` is missing"),
        ("qe", {"model": ["default"], "source": "s"}, "no model"),
        ("compare", {**TEXTS, "thresholds": [{}]}, "`thresholds` must be a text, a number"),
        ("score", {**TEXTS, "metrics": ["9" * 400]}, "no metric called"),
    ],
)
def test_values_of_a_wrong_kind_are_refused(task: str, given: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        build(task, given, {"s": b"a\n"}, Allowed())


def test_null_means_that_an_option_is_not_given() -> None:
    made = build("score", {**TEXTS, "form": None, "confidence": None, "metrics": "chrf"}, {}, Allowed())
    assert "confidence" not in made.options and made.options["form"] == "json" and made.options["metrics"] == ["chrf"]


@pytest.mark.parametrize("task", TASKS)
def test_every_option_is_known_to_be_harmless_or_refused(task: str) -> None:
    known = requests.TEXTS | requests.GROUPS | requests.PLAIN | REFUSED | {"metrics", "model"}
    assert {each.name for each in declared(command_of(task).options).values() if each.in_shell} <= known


def test_a_request_survives_the_file_of_jobs() -> None:
    options, files = read_form(
        "score",
        b'--x\r\nContent-Disposition: form-data; name="outputs"; filename="a"\r\n\r\n\x00\r\n\xff\r\n--x\r\n'
        b'Content-Disposition: form-data; name="metrics"\r\n\r\nbleu\r\n--x--\r\n',
        "multipart/form-data; boundary=x",
    )
    made = build("score", options, files, Allowed(), archive=True)
    assert files == {"a": b"\x00\r\n\xff"}
    assert Request.unpack(made.pack()) == made


def test_tokens_open_what_they_are_for(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.json"
    scoring, everything = new_token(tokens, "ci", ["score"]), new_token(tokens, "ann", ["all"])
    assert scoring not in tokens.read_text() and oct(tokens.stat().st_mode)[-3:] == "600"
    server = Server(tmp_path, "--tokens", "tokens.json").start()
    try:

        def ask(token: str, task: str = "score", **options: Any) -> Any:
            return server.ask(task, headers={"Authorization": f"Bearer {token}"} | options)

        assert ask(scoring).status_code == 200 == ask(everything, "check").status_code
        assert ask(scoring, "check").status_code == 403 and "It is for: score" in ask(scoring, "check").text
        assert server.ask("score").status_code == 401
        job = ask(everything, Prefer="respond-async").headers["location"]
        assert server.http.get(job, headers={"Authorization": f"Bearer {scoring}"}).status_code == 404
        assert server.http.get(job).status_code == 401
        assert server.http.get("/metrics", headers={"Authorization": f"Bearer {scoring}"}).status_code == 403
        assert tercet.Client(server.url, scoring).score(tercet.demo("en-de"), "chrf")
        with pytest.raises(UsageError, match="A valid token is needed"):
            tercet.Client(server.url, "guess").score(tercet.demo("en-de"), "chrf")
        codes = [ask(f"guess{n}").status_code for n in range(12)]
        assert codes[0] == 401 and codes[-1] == 429
        assert ask(scoring).status_code == 200  # a right token is never locked out
        new_token(tokens, "ci", ["score"])
        assert ask(scoring).status_code in (401, 429)  # replaced while the server runs
        assert "Bearer" not in server.log() and scoring not in server.log()
    finally:
        server.stop()


def test_others_get_in_with_tokens_only(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tercet", "serve", "--host", "0.0.0.0", "--port", "0"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, "give --tokens FILE" in done.stderr) == (2, True)


def test_a_request_that_takes_too_long_or_too_much_memory_ends_alone(tmp_path: Path) -> None:
    server = Server(tmp_path, "--time", "5", "--memory", "1").start()
    try:
        long = server.http.post("/compare", json=very_slow())
        assert long.status_code == 422 and "longer than 5 seconds" in long.text
        assert server.ask("score").status_code == 200
        worker = next(path for path in Path("/proc").glob("[0-9]*/stat") if _parent(path) == server.process.pid
                      and b"spawn_main" in (path.parent / "cmdline").read_bytes())  # fmt: skip
        asking = threading.Timer(0.5, os.kill, (int(worker.parent.name), signal.SIGKILL))
        asking.start()
        died = server.http.post("/compare", json=very_slow())
        asking.join()
        assert died.status_code in (422, 500) and ("died" in died.text or "longer" in died.text)
        assert server.ask("score").status_code == 200
    finally:
        server.stop()


def _parent(path: Path) -> int:
    try:
        return int(path.read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def test_jobs_outlive_a_server_that_is_killed(tmp_path: Path) -> None:
    server = Server(tmp_path).start()
    ahead = {"Prefer": "respond-async"}
    jobs = [server.http.post("/score", json=slow(n, 1), headers=ahead).headers["location"] for n in range(2)]
    time.sleep(0.3)
    server.stop(signal.SIGKILL)
    again = Server(tmp_path).start()
    try:
        about = [again.wait_for(job) for job in jobs]
        assert [each["state"] for each in about] == ["done"] * 2
        assert again.http.get(f"{jobs[1]}/result").json()[0]["name"] == "chrF2"
    finally:
        again.stop()


def test_a_job_that_ends_the_server_again_and_again_is_given_up(tmp_path: Path) -> None:
    file = JobFile(tmp_path / "jobs.db")
    file.add("j", "ann", build("score", TEXTS, {}, Allowed()))
    for _ in range(ATTEMPTS):
        assert [each.id for each in file.unfinished()] == ["j"]
        file.begin("j")
    assert not list(file.unfinished())
    kept = file.find("j")
    assert kept is not None and kept.answer is not None and not kept.request.files
    assert kept.state == "failed" and b"gave it up" in kept.answer.body
    file.forget(0.0)
    assert file.find("j") is None
    file.close()


def test_a_file_of_jobs_of_a_newer_version_is_refused_and_stays_one(tmp_path: Path) -> None:
    file = sqlite3.connect(tmp_path / "jobs.db")
    file.execute("PRAGMA user_version=99")
    file.close()
    for _ in range(2):
        with pytest.raises(UsageError, match="is of a newer Tercet"):
            JobFile(tmp_path / "jobs.db")
