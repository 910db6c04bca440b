"""The files that deploy workspaces: their form, and that what they name is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from pincite.daemon.client.open_index import is_shared
from pincite.settings.load import VARIABLES, load_settings
from pincite.support.databases.postgres import CONNECTIONS as INDEX_CONNECTIONS
from pincite.surfaces.cli.app import app
from pincite.surfaces.http.listening import DRAIN_S
from pincite.workspace.database.postgres import CONNECTIONS as WORKSPACE_CONNECTIONS

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy/workspaces"
IMAGES = ROOT / "deploy/containers/Containerfile"
KUBERNETES = sorted((FOLDER / "kubernetes").glob("*.yaml"))
SECRETS = re.compile(r"PASSWORD|KEY|_URL$")
#: What the images of PostgreSQL and Qdrant, and roles.sh, read.
OTHERS = {
    "SSL_CERT_FILE",  # of the libraries that connect
    *("POSTGRES_USER", "POSTGRES_PASSWORD", "PGDATA", "QDRANT_INIT_FILE_PATH"),
    *(f"{role}_PASSWORD" for role in ("KEEPER", "WEB", "WORKS", "BACKUP")),
}


def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text())
    return loaded


def objects() -> list[dict[str, Any]]:
    return [one for path in KUBERNETES for one in yaml.safe_load_all(path.read_text())]


def pods() -> list[dict[str, Any]]:
    return [
        one["spec"]["template"]["spec"] for one in objects() if "template" in one.get("spec", {})
    ]


def containers() -> list[dict[str, Any]]:
    return [one for pod in pods() for one in pod["containers"]]


def environments() -> Iterator[tuple[str, str, Any]]:
    """(container, variable, value or where it is from)."""
    for name, service in compose()["services"].items():
        for variable, value in service["environment"].items():
            yield name, variable, value
    for one in containers():
        for variable in one["env"]:
            yield one["name"], variable["name"], variable.get("value", variable.get("valueFrom"))


def commands() -> list[list[str]]:
    services = compose()["services"].values()
    said = [one["command"] for one in services if one.get("image") == "pincite-serve"]
    return [*said, *(one["args"] for one in containers() if one["image"] == "pincite-serve")]


def command_of(words: list[str]) -> click.Command:
    """The command that the words name, once it has understood the rest of them."""
    found: click.Command = app
    rest = list(words)
    while isinstance(found, click.Group):
        inner = found.get_command(click.Context(found), rest[0])
        assert inner is not None, words
        found, rest = inner, rest[1:]
    found.make_context(words[0], rest)
    return found


def test_commands_exist_with_their_options() -> None:
    names = [command_of(words).name for words in commands()]
    assert sorted(filter(None, names)) == sorted(["migrate", "serve", "worker"] * 2)


def test_variables_are_those_that_are_read() -> None:
    seen = list(environments())
    assert len(seen) > 20
    for container, name, _ in seen:
        known = name in VARIABLES or name in OTHERS or name.startswith("QDRANT__")
        assert known, (container, name)


def test_no_secret_is_in_clear() -> None:
    for container, name, value in environments():
        if not SECRETS.search(name) or name in ("QDRANT_URL", "QDRANT__TLS__KEY"):  # a file
            continue
        if isinstance(value, dict):
            assert set(value) == {"secretKeyRef"}, (container, name)
        else:
            given = re.sub(r"\$\{[A-Z_]+:\?[^}]+\}", "GIVEN", value)
            address = r"postgresql://\w+:GIVEN@postgres/pincite"
            assert given == "GIVEN" or re.fullmatch(address, given), (container, name)


def test_nothing_but_loopback_is_open() -> None:
    for service in compose()["services"].values():
        for port in service.get("ports", ()):
            assert port.startswith("127.0.0.1:")
    kinds = [one["kind"] for one in objects()]
    assert "Ingress" not in kinds
    for one in objects():
        if one["kind"] == "Service":
            assert one["spec"].get("type", "ClusterIP") == "ClusterIP"
    policies = [one for one in objects() if one["kind"] == "NetworkPolicy"]
    assert {"podSelector": {}, "policyTypes": ["Ingress"]} in [one["spec"] for one in policies]
    for pod in pods():
        assert not pod.get("hostNetwork")
        assert not any(
            "hostPort" in port for one in pod["containers"] for port in one.get("ports", ())
        )


def test_pincite_runs_without_rights_on_a_file_system_that_nobody_writes() -> None:
    for name in ("migrate", "serve", "worker"):
        service = compose()["services"][name]
        assert service["read_only"] is True
        assert service["user"] == "10001:10001"
        assert service["cap_drop"] == ["ALL"]
        assert "mem_limit" in service
    for pod in pods():
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["automountServiceAccountToken"] is False
        assert pod["enableServiceLinks"] is False  # PINCITE_PORT is refused as unknown
        for one in pod["containers"]:
            held = one["securityContext"]
            assert held["readOnlyRootFilesystem"] is True, one["name"]
            assert held["allowPrivilegeEscalation"] is False
            assert held["capabilities"] == {"drop": ["ALL"]}
            assert "memory" in one["resources"]["limits"]


def test_the_owner_of_the_database_is_known_to_the_migration_alone() -> None:
    knowing = {c for c, name, _ in environments() if name == "PINCITE_DATABASE_OWNER_URL"}
    assert knowing == {"migrate"}
    told = {c for c, name, _ in environments() if name == "KEEPER_PASSWORD"}
    assert told == {"postgres"}


def test_probes_ask_by_a_name_that_the_server_has() -> None:
    (serve,) = (one for one in containers() if one["name"] == "serve")
    port = serve["args"][serve["args"].index("--port") + 1]
    for probe, path in (("readinessProbe", "/readyz"), ("livenessProbe", "/healthz")):
        asked = serve[probe]["httpGet"]
        assert asked["path"] == path
        assert asked["httpHeaders"] == [{"name": "Host", "value": f"localhost:{port}"}]
    assert serve["ports"] == [{"name": "http", "containerPort": int(port)}]


def test_a_pod_has_time_to_leave_the_service_and_to_answer_what_has_begun() -> None:
    (pod,) = (one for one in pods() if one["containers"][0]["name"] == "serve")
    leaving, seconds = pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"]
    assert leaving == "sleep"
    assert int(seconds) + DRAIN_S < pod["terminationGracePeriodSeconds"]


def test_what_keeps_something_is_there_once_and_what_keeps_nothing_may_be_there_often() -> None:
    sets = [one for one in objects() if one["kind"] == "StatefulSet"]
    assert all(one["spec"]["replicas"] == 1 for one in sets)
    deployed = [one for one in objects() if one["kind"] == "Deployment"]
    assert sorted(one["metadata"]["name"] for one in deployed) == ["pincite", "worker"]
    for one in deployed:
        assert one["spec"]["replicas"] > 1
        kinds = {kind for v in one["spec"]["template"]["spec"]["volumes"] for kind in v}
        assert kinds == {"name", "emptyDir", "secret"}
    for one in (*sets, *deployed, *(one for one in objects() if one["kind"] == "Job")):
        pod = one["spec"]["template"]["spec"]
        claims = one["spec"].get("volumeClaimTemplates", ())
        there = {v["name"] for v in pod.get("volumes", ())} | {
            c["metadata"]["name"] for c in claims
        }
        for held in pod["containers"]:
            assert {mount["name"] for mount in held["volumeMounts"]} <= there
    services = compose()
    for service in services["services"].values():
        for volume in service.get("volumes", ()):
            name = volume.partition(":")[0]
            assert (
                (FOLDER / name).is_file() if name.startswith("./") else name in services["volumes"]
            )


def test_pods_reach_what_they_need_and_each_service_has_its_pods() -> None:
    labels = {
        one["spec"]["template"]["metadata"]["labels"]["app"]
        for one in objects()
        if "template" in one.get("spec", {})
    }
    for one in objects():
        if one["kind"] == "Service":
            assert one["spec"]["selector"]["app"] in labels
    allowed = {
        one["metadata"]["name"]: set(
            one["spec"]["ingress"][0]["from"][0]["podSelector"]["matchExpressions"][0]["values"]
        )
        for one in objects()
        if one["kind"] == "NetworkPolicy" and one["metadata"]["name"] in ("postgres", "qdrant")
    }
    assert allowed == {
        "postgres": {"pincite", "pincite-worker", "pincite-migrate"},
        "qdrant": {"pincite", "pincite-worker"},
    }
    assert set().union(*allowed.values()) <= labels


def test_containers_of_both_kinds_open_an_index_that_several_machines_share(tmp_path: Path) -> None:
    config = {"PINCITE_CONFIG": str(FOLDER / "pincite.toml")}
    for one in (*compose()["services"].items(), *((c["name"], c) for c in containers())):
        name, held = one
        if name not in ("serve", "worker"):
            continue
        given = held.get("environment") or {v["name"]: v.get("value", "") for v in held["env"]}
        environ = {
            name: re.sub(r"\$\{[^}]+\}", "0a1b", value) or "postgresql://works@postgres/pincite"
            for name, value in given.items()
            if name in VARIABLES and name != "QDRANT_API_KEY"
        }
        assert is_shared(load_settings({**environ, **config}, tmp_path, tmp_path / "index"))


def test_the_roles_are_the_same_in_the_cluster() -> None:
    (held,) = (one for one in objects() if one["kind"] == "ConfigMap")
    assert held["data"]["roles.sh"] == (FOLDER / "roles.sh").read_text()


def test_postgres_takes_the_connections_of_all_processes_and_one_more() -> None:
    of_process = 2 * WORKSPACE_CONNECTIONS + 2 * INDEX_CONNECTIONS
    assert of_process == 48  # as the page of operation says
    (server,) = (one for one in containers() if one["name"] == "postgres")
    of_pods = sum(
        one["spec"]["replicas"]
        for one in objects()
        if one["kind"] == "Deployment" and one["metadata"]["name"] in ("serve", "worker")
    )
    for words, processes in (
        (server["args"], of_pods),
        (compose()["services"]["postgres"]["command"], 4),  # with three workers, as in README.md
    ):
        (most,) = re.findall(r"max_connections=(\d+)", " ".join(words))
        assert int(most) >= (processes + 1) * of_process + 10


@pytest.mark.parametrize("service", ["migrate", "serve", "worker"])
def test_settings_are_made_of_what_a_container_has(service: str, tmp_path: Path) -> None:
    image = dict(re.findall(r"(PINCITE_\w+)=(\S+)", IMAGES.read_text()))
    assert image.pop("PINCITE_CONFIG") == "/etc/pincite/pincite.toml"
    given = compose()["services"][service]["environment"]
    environ = {name: re.sub(r"\$\{[^}]+\}", "0a1b", value) for name, value in given.items()}
    config = {"PINCITE_CONFIG": str(FOLDER / "pincite.toml")}
    settings = load_settings({**image, **environ, **config}, tmp_path)
    assert settings.index == Path("/var/lib/pincite/index")
    assert settings.store.kind == "qdrant"
    assert settings.store.tenant == "user_id"
    assert settings.workspace.database == "postgresql://web:0a1b@postgres/pincite"
    assert settings.workspace.owner.startswith("postgresql://keeper") is (service == "migrate")


def test_the_image_that_is_run_is_one_that_is_built_with_what_its_settings_need() -> None:
    build = compose()["x-pincite"]["build"]
    assert (FOLDER / build["context"] / build["dockerfile"]).resolve() == IMAGES
    stage = re.search(
        rf"^FROM user AS {build['target']}$(.*?)(?=^FROM|\Z)", IMAGES.read_text(), re.M | re.S
    )
    assert stage
    (extras,) = re.findall(r'"pincite\[([\w,]+)\]"', stage[1])
    assert {"model", "serve", "postgres", "qdrant"} <= set(extras.split(","))
    used = {one["image"] for one in containers()} | {compose()["x-pincite"]["image"]}
    ours = {one for one in used if one.startswith("pincite")}
    assert ours == {f"pincite-{build['target']}"}
