"""Questions for the handler of a route."""

from __future__ import annotations

import time

import pytest

from pincite.model import Candidate, Query, Question, Signal
from pincite.questions.routes import Route, asked_route
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from pincite.stages.rank_code.route_prefixes import prefixes_in
from pincite.stages.rank_code.routes import handlers
from tests.builders import chunk
from tests.counting import grows_in_proportion
from tests.time_limits import GROWS_S


def one(name: str, path: str, text: str, *symbols: str, score: float = 0.5) -> Candidate:
    found = chunk(text, id=name, path=path, source_type="code", symbols=symbols)
    return Candidate("main", found, (Signal("fused", "normalised", score),))


@pytest.mark.parametrize(
    ("question", "route"),
    [
        ("GET /api/v1/users/{id}", Route("GET", ("users", "{id}"))),
        ("which handler serves POST /users?", Route("POST", ("users",))),
        ("what does `DELETE /users/:id/keys` do", Route("DELETE", ("users", ":id", "keys"))),
        ("where is the endpoint /login handled", Route("", ("login",))),
    ],
)
def test_a_method_with_a_path_or_a_path_that_is_called_a_route_is_one(
    question: str, route: Route
) -> None:
    assert asked_route(question) == route


@pytest.mark.parametrize(
    "question",
    [
        "how is /etc/passwd read",
        "GET the value of a/b",
        "POST /{id}",
        "GET /",
        "the route https://example.org/users of a request",
        "which handler is called first",
    ],
)
def test_other_paths_are_no_routes(question: str) -> None:
    assert asked_route(question) is None


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("app/items.py", '@router.put(\n    "/items/{item_id}",\n    tags=[1],\n)\ndef put_it():'),
        ("app/items.py", '@router.put("/{item_id}")\nasync def update(): ...'),
        ("views.py", '@app.route("/items/<int:item>", methods=["PUT"])\ndef update(item):'),
        ("ItemsApi.java", '@PutMapping("/items/{id}")\npublic Item update() {'),
        ("Api.java", '@RequestMapping(path = "/items/{id}", method = RequestMethod.PUT)\nItem a('),
        ("ItemsController.cs", '[HttpPut("{id}")]\npublic Task Edit('),
        ("items.controller.ts", "@Put(':id')\nasync update("),
        ("routes/api.php", "Route::put('items/{item}', 'ItemController@update');"),
        ("main.go", 'r.PUT("/api/items/:id", updateItem)'),
        ("main.go", 'mux.HandleFunc("PUT /items/{id}", updateItem)'),
        ("src/http.rs", '.route("/items/:id", get(show).put(update))'),
        ("src/http.rs", '#[put("/items/{id}")]\nasync fn update('),
        ("server.js", "app.put('/items/:id', (req, res) => {"),
        ("config/routes.rb", "Rails.routes do\n  put '/items/:id', to: 'items#update'\n"),
        ("api/item.go", "// @Router /items/{id} [put]\nfunc PutItem(c *gin.Context) {"),
    ],
)
def test_a_handler_that_registers_the_route_is_found(path: str, text: str) -> None:
    right = one("right", path, text, "update")
    others = [
        one(
            "other method",
            path,
            text.replace("put", "get").replace("PUT", "GET").replace("Put", "Get"),
            "show",
        ),
        one(
            "longer",
            path,
            text.replace(":id", ":id/keys").replace("}", "}/keys").replace(">", ">/keys"),
            "keys",
        ),
        one("calls", "web/client.js", "axios.put('/items/' + id); fetch('/items/:id', {PUT})"),
        one("test", "tests/test_items.py", text, "test_update"),
        one("no route", "app/items.py", "def put(items, id): ...", "put"),
    ]
    found = handlers(asked_route("PUT /api/items/42"), [*others, right], 3)
    assert [each.chunk.id for each in found][:1] == ["right"]
    assert {each.chunk.id for each in found} <= {"right", "longer", "other method"}


@pytest.mark.parametrize(
    "path",
    ["app/api/items/[itemId]/route.ts", "src/routes/items/[id]/+server.ts"],
)
def test_folders_of_a_file_are_its_route(path: str) -> None:
    right = one("right", path, "export async function PUT(request) {", "PUT")
    other = one("other", path.replace("items", "users"), right.chunk.text, "PUT")
    get = one("get", path, "export async function GET(request) {", "GET")
    assert handlers(asked_route("PUT /api/items/42"), [other, get, right], 3) == [right]


def test_a_word_precedes_a_parameter_and_a_handler_a_table() -> None:
    found = [
        one("parameter", "app/items.py", '@router.get("/{item_id}")\ndef show(): ...'),
        one("table", "app/items.py", 'app.get("/items/latest", latest)'),
        one("handler", "app/items.py", '@router.get("/latest")\ndef latest(): ...'),
    ]
    names = [each.chunk.id for each in handlers(asked_route("GET /items/latest"), found, 3)]
    assert names == ["handler", "table", "parameter"]
    assert handlers(asked_route("GET /items/{id}"), found, 3) == found[:1]


def test_the_handler_is_the_first_result() -> None:
    found = [
        one("client", "web/items.ts", "export const items = fetch('/api/items')", score=1.0),
        one("handler", "server/items.py", '@router.get("")\ndef all_items(): ...', score=0.4),
    ]
    query: Query = prepare(Question("GET /api/items"), PrepareConfig())
    ranked = rank_code(query, found, lambda text: frozenset(text.split()), RankCodeConfig())
    assert ranked[0].chunk.id == "handler"


@pytest.mark.parametrize("text", ['"/a', '"/a"', "@a(" * 3, "\\'/{", "@Router /a", "@Router   "])
def test_hostile_passages_are_compared_in_no_time(text: str) -> None:
    begun = time.process_time()
    found = [one("a", "a/b.py", text * (20_000 // len(text))) for _ in range(5)]
    assert len(handlers(asked_route("GET /b/a"), found, 3)) <= 3
    assert time.process_time() - begun < GROWS_S / 10


@pytest.mark.parametrize("path", [".eslintrc.js", "web/.eslintrc.js", "/orders.ts", "a//route.ts"])
def test_files_without_a_stem_are_compared(path: str) -> None:
    assert (
        handlers(asked_route("POST /users/orders"), [one("a", path, "module.exports = {}")], 3)
        == []
    )


@pytest.mark.parametrize(
    ("path", "head", "text"),
    [
        (
            "app/api.py",
            'router = APIRouter(\n    prefix="/users", tags=["a"]\n)',
            '@router.get("/{user_id}")\ndef read(user_id): ...',
        ),
        (
            "app/api.py",
            'bp = Blueprint("x", __name__, url_prefix="/users")',
            '@bp.route("/<int:user_id>")\ndef read(user_id): ...',
        ),
        (
            "app/api.py",
            'app.include_router(people, tags=["a"], prefix="/users")',
            '@people.get("/{user_id}")\ndef read(user_id): ...',
        ),
        (
            "app/api.py",
            "app.register_blueprint(people, url_prefix='/api/users')",
            '@people.route("/<user_id>", methods=["POST", "GET"])\ndef read(user_id): ...',
        ),
        (
            "Api.java",
            '@RestController\n@RequestMapping(path = "/api/users")\n@Validated\npublic class Api {',
            '  @GetMapping("/{id}")\n  public User read() {',
        ),
        (
            "Api.kt",
            '@RequestMapping("/users")\nclass Api {',
            '  @GetMapping("/{id}")\n  fun read(): User {',
        ),
        (
            "Api.cs",
            '[ApiController]\n[Route("api/users")]\n[Authorize]\npublic class Api {',
            '  [HttpGet("{id}")]\n  public Task Read() {',
        ),
        (
            "src/api.ts",
            "@Controller('users')\nexport class Api {",
            "  @Get(':id')\n  read(@Param('id') id: string) {",
        ),
        (
            "src/api.ts",
            "@Controller({\n  path: 'users',\n  version: '1',\n})\nexport class Api {",
            "  @Get(':id')\n  read(@Param('id') id: string) {",
        ),
        ("api.js", "app.use('/users', checked, people)", "people.get('/:id', read)"),
        ("api.js", "const people = new Router({ prefix: '/users' })", "people.get('/:id', read)"),
        ("api.go", 'people := engine.Group("/users")', '\tpeople.GET("/:id", read)'),
        ("Api.cs", 'var people = app.MapGroup("/users");', 'people.MapGet("/{id}", Read);'),
    ],
)
def test_the_prefix_of_a_router_or_class_is_before_its_routes(
    path: str, head: str, text: str
) -> None:
    first, second = one("head", path, head), one("right", path, text)
    apart = handlers(asked_route("GET /users/7"), [first, second], 3)
    assert "right" in [each.chunk.id for each in apart]
    assert [each.chunk.id for each in apart if each.chunk.id != "head"] == ["right"]
    whole = one("whole", path, f"{head}\n\n{text}")
    assert handlers(asked_route("GET /users/7"), [whole], 3) == [whole]
    for other in ("GET /orders/7", "DELETE /users/7", "GET /users/7/keys", "GET /7"):
        assert handlers(asked_route(other), [first, second, whole], 3) == []
    elsewhere = one("right", "other/" + path, text)
    assert handlers(asked_route("GET /users/7"), [first, elsewhere], 3) == []


def test_a_prefix_counts_for_its_own_router_only() -> None:
    head = 'users = APIRouter(prefix="/users")\norders = APIRouter(prefix="/orders")'
    texts = ['@users.get("/{id}")\ndef user(id): ...', '@orders.get("/{id}")\ndef order(id): ...']
    found = [one("head", "app/api.py", head)]
    found += [one(str(n), "app/api.py", text) for n, text in enumerate(texts)]
    assert [each.chunk.id for each in handlers(asked_route("GET /orders/5"), found, 3)] == ["1"]


@pytest.mark.parametrize(
    ("path", "head", "text"),
    [
        ("src/api.ts", "@Controller('users')\nexport class Api {", "  @Post()\n  create() {"),
        ("src/users.controller.ts", "", "  @Post()\n  create() {"),
        ("Api.java", '@RequestMapping("/users")\nclass Api {', "  @PostMapping\n  User create() {"),
        ("UsersController.cs", "", "  [HttpPost]\n  public User Create() {"),
        (
            "app/api.py",
            'router = APIRouter(prefix="/users")',
            '@router.post("/")\ndef create(): ...',
        ),
        ("api.js", "app.use('/users', people)", "people.post('/', create)"),
    ],
)
def test_a_handler_without_a_path_has_that_of_its_class(path: str, head: str, text: str) -> None:
    found = [one("head", path, head), one("right", path, text)]
    assert handlers(asked_route("POST /users"), found, 3) == found[1:]
    for other in ("PATCH /users", "POST /users/7", "POST /orders"):
        assert handlers(asked_route(other), found, 3) == []


def test_the_call_of_a_router_is_its_method_whatever_stands_beside() -> None:
    text = "router.post('/items', create)\nrouter.get('/items', show)\n"
    table = one("table", "api.js", text)
    assert handlers(asked_route("GET /items"), [table], 3) == [table]
    assert handlers(asked_route("DELETE /items"), [table], 3) == []
    only = one("only", "api.js", "router.post('/items', (a, b) => b.get(1))")
    assert handlers(asked_route("GET /items"), [only], 3) == []


def test_a_route_of_flask_without_methods_is_get() -> None:
    text = '@app.route("/items")\ndef items(): ...'
    found = [one("a", "app.py", text)]
    assert handlers(asked_route("GET /items"), found, 3) == found
    assert handlers(asked_route("POST /items"), found, 3) == []
    posted = [one("a", "app.py", '@app.route("/items", methods=["POST"])\ndef items(): ...')]
    assert handlers(asked_route("GET /items"), posted, 3) == []


def test_what_calls_a_route_is_no_handler_although_it_looks_like_a_table() -> None:
    call = one("call", "web/users.js", "app.get(url); server.api('/users/7', {method: 'GET'})")
    handler = one("handler", "src/users.js", "server.get('/users/:id', show)")
    assert handlers(asked_route("GET /users/7"), [call, handler], 3) == [handler]


def test_a_decorator_is_no_call_although_its_router_is_named_like_a_client() -> None:
    found = [one("a", "app/users.py", '@api.route("/users/<int:id>")\ndef user(id): ...')]
    assert handlers(asked_route("GET /users/7"), found, 3) == found


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_methods_behind_a_route_of_express_are_its_own(method: str) -> None:
    """`router.route('/')` in the file of users is the route of users."""
    checks = ", ".join(f"validate(userRules.rule{n})" for n in range(9))
    text = f"router\n  .route('/')\n  .get({checks})\n  .patch({checks})\n  .delete(remove);\n"
    found = [one("a", "src/routes/user.route.js", text)]
    assert handlers(asked_route(f"{method} /v1/users"), found, 3) == found
    assert handlers(asked_route("PUT /v1/users"), found, 3) == []
    assert handlers(asked_route(f"{method} /v1/orders"), found, 3) == []


def test_long_paths_of_files_take_no_time() -> None:
    found = [one(str(n), "a/" * 1_000_000 + "b.c.ts", "x = 1") for n in range(20)]
    begun_s = time.thread_time()
    assert handlers(asked_route("GET /b/a"), found, 3) == []
    assert time.thread_time() - begun_s < GROWS_S / 6


@pytest.mark.parametrize(
    "text",
    [
        *("APIRouter(", "APIRouter(prefix=", 'APIRouter(prefix="/a"', "x = r.Group('/a')\n"),
        *(".use('/a',", ".use('/a', b", '@RequestMapping("/a") ', '@RequestMapping("/a") @b(c) '),
        *("@Controller({", "@Controller({path:", "a.b.c('/{x}')", "@Get()\n", "[HttpGet]"),
    ],
)
def test_prefixes_are_read_in_linear_time(text: str) -> None:
    def read(size: int) -> None:
        found = [one("a", "a/b.py", text * (size // len(text)))] * 10
        handlers(asked_route("GET /b/a"), found, 3)

    assert grows_in_proportion(read, 2_000)


FOLDERS = [
    one("client", "src/client.ts", "export const load = () => fetch('/api/users')", "load"),
    one("key", "app/api/users/[id]/route.ts", "export async function GET() {", "GET"),
    one("users", "app/api/users/route.ts", "export async function GET() {", "GET"),
    one("view", "app/users/page.tsx", "export function Users() {", "Users"),
    one("put", "server/api/orders.put.ts", "export default handle(() => {", "default"),
]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("where is the endpoint /api/users handled", ["users"]),
        ("where is the endpoint /api/users/{id} handled", ["key"]),
        ("where is the endpoint /api/orders handled", ["put"]),
        ("where is the endpoint /api/login handled", []),
    ],
)
def test_without_a_method_a_file_that_handles_any_is_found(question: str, names: list[str]) -> None:
    found = handlers(asked_route(question), FOLDERS, 3)
    assert [each.chunk.id for each in found] == names


def test_folders_that_are_only_parameters_or_too_few_are_no_route() -> None:
    found = [
        one("parameter", "app/[slug]/route.ts", "export async function GET() {", "GET"),
        one("one", "app/keys/route.ts", "export async function GET() {", "GET"),
    ]
    assert handlers(asked_route("GET /users/7"), found, 3) == []
    assert handlers(asked_route("GET /users/7/keys"), found, 3) == []
    assert handlers(asked_route("GET /users/keys"), found, 3) == found[1:]


ALL_METHODS = '  @RequestMapping("/status")\n  String status() {'


def test_a_mapping_without_a_method_is_for_all_behind_an_exact_one() -> None:
    every = one("all", "Api.java", ALL_METHODS)
    exact = one("get", "Api.java", '  @GetMapping("/status")\n  String read() {')
    posts = '  @RequestMapping(path = "/status", method = RequestMethod.POST)\n  String post() {'
    post = one("post", "Api.java", posts)
    methods = one("methods", "Api.java", ALL_METHODS.replace("status", "methods"))
    assert handlers(asked_route("GET /methods"), [methods], 3) == [methods]
    for method in ("GET", "DELETE"):
        assert every in handlers(asked_route(f"{method} /status"), [every, post], 3)
    assert handlers(asked_route("GET /status"), [every, exact, post], 3) == [exact, every]
    assert handlers(asked_route("POST /status"), [every, exact, post], 3) == [post, every]


@pytest.mark.parametrize(
    "text",
    [
        '@RequestMapping("/status")\npublic class Api {',
        '@RequestMapping("/status")\n@Validated\ninterface Api {',
        '@RestController\n@RequestMapping(value = "/status")\nclass Api {',
    ],
)
def test_the_mapping_of_a_class_is_no_handler(text: str) -> None:
    assert handlers(asked_route("GET /status"), [one("a", "Api.java", text)], 3) == []


def test_at_most_twenty_prefixes_of_a_passage_are_read() -> None:
    mounted = "".join(f"app.use('/p{n}', r{n})\n" for n in range(30))
    assert list(prefixes_in([mounted])) == [f"r{n}" for n in range(20)]
