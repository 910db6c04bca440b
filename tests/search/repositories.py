"""Three small repositories with tests, a page of docs and examples, and questions about them."""

from __future__ import annotations

_PYTHON = {
    "README.md": "# Courier\n\nSends messages, with retries and a queue. Call `Courier.send`.\n",
    "courier/__init__.py": "from courier.client import Courier\n",
    "courier/client.py": '''from courier.queue import Outbox


class Courier:
    """Sends messages over a transport."""

    def __init__(self, transport, outbox=None):
        self.transport = transport
        self.outbox = outbox or Outbox()

    def send(self, message):
        """Send a message now, or put it into the outbox."""
        if not self.transport.ready():
            return self.outbox.put(message)
        return self.transport.write(message.encode())
''',
    "courier/retry.py": '''import random


class Backoff:
    """How long to wait before the next attempt: doubled each time, with jitter."""

    def __init__(self, base=0.1, limit=30.0):
        self.base = base
        self.limit = limit

    def delay(self, attempt):
        return min(self.limit, self.base * 2**attempt) * random.uniform(0.5, 1.0)


def with_retries(call, backoff, attempts=5):
    """Call again after a failure, waiting between attempts."""
    for attempt in range(attempts):
        try:
            return call()
        except OSError:
            wait(backoff.delay(attempt))
''',
    "courier/queue.py": '''class Outbox:
    """Messages that wait until the transport is ready."""

    def __init__(self):
        self.waiting = []

    def put(self, message):
        self.waiting.append(message)

    def flush(self, courier):
        while self.waiting:
            courier.send(self.waiting.pop(0))
''',
    "courier/signing.py": '''import hmac


def sign(message, secret):
    """The signature of a message under a secret."""
    return hmac.new(secret, message, "sha256").hexdigest()


def verify(message, secret, signature):
    return hmac.compare_digest(sign(message, secret), signature)
''',
    "tests/test_retry.py": """from courier.retry import Backoff, with_retries


def test_backoff_doubles_the_delay_before_the_next_attempt():
    backoff = Backoff(base=1.0)
    assert backoff.delay(3) > backoff.delay(0)


def test_with_retries_calls_again_after_a_failure():
    assert with_retries(lambda: 1, Backoff()) == 1
""",
    "tests/test_signing.py": """from courier.signing import sign, verify


def test_a_signature_of_a_message_is_verified_under_its_secret():
    assert verify(b"x", b"s", sign(b"x", b"s"))
""",
    "examples/send.py": """from courier import Courier

courier = Courier(transport)
courier.send("hello")  # send a message
""",
}
_GO = {
    "README.md": "# shelf\n\nA key-value store with a cache in front and snapshots to disk.\n",
    "shelf.go": """package shelf

// Store keeps values by key.
type Store struct {
	cache *Cache
	log   *Journal
}

// Get returns the value of a key, from the cache if it is there.
func (s *Store) Get(key string) ([]byte, bool) {
	if value, ok := s.cache.Lookup(key); ok {
		return value, true
	}
	return s.log.Find(key)
}
""",
    "cache.go": """package shelf

// Cache holds the values that were used last; the oldest is evicted when it is full.
type Cache struct {
	entries map[string]*entry
	limit   int
}

// Lookup finds an entry.
func (c *Cache) Lookup(key string) ([]byte, bool) {
	found, ok := c.entries[key]
	return found.value, ok
}

func (c *Cache) evictOldest() {
	delete(c.entries, c.oldest())
}
""",
    "journal.go": """package shelf

// Journal appends each write to a file, so that nothing is lost in a crash.
type Journal struct {
	file File
}

// Append writes a record and syncs it.
func (j *Journal) Append(record Record) error {
	return j.file.Write(record.Bytes())
}
""",
    "snapshot.go": """package shelf

// WriteSnapshot copies the whole store to disk.
func WriteSnapshot(store *Store, path string) error {
	return compress(store, path)
}
""",
    "cache_test.go": """package shelf

func TestTheOldestEntryOfTheCacheIsEvictedWhenItIsFull(t *testing.T) {
	cache := Cache{limit: 1}
	cache.Lookup("a")
}
""",
    "journal_test.go": """package shelf

func TestJournalAppendsARecordAndNothingIsLostInACrash(t *testing.T) {
	journal := Journal{}
	journal.Append(Record{})
}
""",
    "examples/main.go": """package main

func main() {
	store := shelf.Open("data")
	store.Get("key") // the value of a key
}
""",
}
_TYPESCRIPT = {
    "README.md": "# router\n\nMatches paths to handlers. See `createRouter` and middleware.\n",
    "src/index.ts": "export { createRouter } from './router';\n",
    "src/router.ts": """import { parsePattern } from './pattern';

/** Matches the path of a request to a handler. */
export class Router {
  private routes: Route[] = [];

  add(pattern: string, handler: Handler): void {
    this.routes.push({ match: parsePattern(pattern), handler });
  }

  match(path: string): Handler | undefined {
    return this.routes.find((route) => route.match(path))?.handler;
  }
}

export function createRouter(): Router {
  return new Router();
}
""",
    "src/pattern.ts": """/** Turns a pattern with parameters, as /users/:id, into a function. */
export function parsePattern(pattern: string): Matcher {
  const names = [...pattern.matchAll(/:(\\w+)/g)].map((one) => one[1]);
  return (path) => extract(path, names);
}
""",
    "src/compose.ts": """/** Runs middleware one after the other; each calls the next. */
export function compose(middleware: Middleware[]): Handler {
  return (request) => dispatch(middleware, 0, request);
}
""",
    "src/errors.ts": """/** An error with the status of its response. */
export class HttpError extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}
""",
    "src/types.d.ts": "export type Handler = (request: Request) => Response;\n",
    "test/router.test.ts": """import { createRouter } from '../src';

test('a router matches the path of a request to a handler', () => {
  const router = createRouter();
  router.add('/users/:id', handler);
  expect(router.match('/users/1')).toBe(handler);
});
""",
    "test/compose.test.ts": """import { compose } from '../src';

test('middleware runs one after the other and each calls the next', () => {
  compose([first, second]);
});
""",
    "examples/server.ts": """import { createRouter, HttpError } from 'router';

const router = createRouter();
router.add('/', () => { throw new HttpError(404, 'not found'); });
""",
}
REPOSITORIES = {"courier": _PYTHON, "shelf": _GO, "router": _TYPESCRIPT}
#: Questions, and the file that answers each. Those of one word are symbols.
QUESTIONS = {
    "courier": (
        ("Backoff", "courier/retry.py"),
        ("Outbox", "courier/queue.py"),
        ("how is a message signed with a secret", "courier/signing.py"),
        ("how long does it wait before the next attempt", "courier/retry.py"),
    ),
    "shelf": (
        ("Journal", "journal.go"),
        ("WriteSnapshot", "snapshot.go"),
        ("which entry of the cache is evicted when it is full", "cache.go"),
        ("how is nothing lost in a crash", "journal.go"),
    ),
    "router": (
        ("HttpError", "src/errors.ts"),
        ("parsePattern", "src/pattern.ts"),
        ("how does middleware call the next one", "src/compose.ts"),
        ("how is the path of a request matched to a handler", "src/router.ts"),
    ),
}
