/** Strings that often break services. */
export const texts: ReadonlyArray<string> = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\u202e",
  "\ufeff",
  "e\u0301",
  "👩‍👩‍👧‍👦",
  "１",
  "é".repeat(20_000),
  "a".repeat(281),
  "null",
  "undefined",
  "NaN",
  "true",
  "-1",
  "0",
  "01",
  "0x10",
  "1e309",
  "999999999999999999999",
  "__proto__",
  "constructor",
  "toString",
  "' OR 1=1 --",
  "${7*7}",
  "<script>",
  "../../etc/passwd",
  "%00",
  "%",
  "1970-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999Z",
  "+275760-09-12T00:00:00Z",
  "2030-02-30T00:00:00Z",
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "twitter",
  "draft",
  "published"
]

/** JSON values of every kind, for places that expect another kind. */
export const values: ReadonlyArray<unknown> = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  [],
  [[]],
  [null],
  {},
  { a: {} },
  { length: 1 },
  ...texts
]

/** Names of unknown members, or of other objects' members. */
export const names: ReadonlyArray<string> = [
  "scheduled_at",
  "schedule_at",
  "id",
  "status",
  "workspace_id",
  "content",
  "platforms",
  "twitter",
  "__proto__",
  "constructor",
  "",
  "a\0",
  "\ud800",
  "é"
]

export const methods: ReadonlyArray<string> = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "PROPFIND",
  "QUERY"
]

export const headers: Readonly<Record<string, ReadonlyArray<string>>> = {
  authorization: ["", "Bearer", "Bearer ", "Basic YTpi", "Bearer sps_a_b", `Bearer ${"a".repeat(5000)}`, "Bearer \xff"],
  "content-type": ["", "a", "text/plain", "application/xml", "application/json; charset=latin1", "application/json;"],
  "content-encoding": ["gzip", "identity", ""],
  accept: ["text/html", "application/xml", "*/*;q=0", ""],
  "idempotency-key": ["", "a", "same", '"same"', " ", "a".repeat(256), "\xff"],
  "x-request-id": ["", "mine", "a b", "<b>", "a".repeat(129)],
  cookie: ["session=", "__Host-session=x", "__Host-session=%00", "a", ";;;=;", `a=${"b".repeat(4000)}`],
  origin: ["", "null", "https://evil.example", "https://posts.example"],
  "sec-fetch-site": ["", "none", "cross-site", "same-origin"],
  "x-forwarded-for": ["1.2.3.4", "a, b", "::1"],
  "x-http-method-override": ["DELETE"],
  expect: ["100-continue", "200-ok"],
  range: ["bytes=0-1"],
  "if-none-match": ["*"],
  host: ["", "evil.example", "a b"],
  connection: ["close", "upgrade"],
  upgrade: ["websocket", "h2c"],
  te: ["trailers"]
}

/** Malformed and unusual query strings. */
export const queries: ReadonlyArray<string> = [
  "%zz",
  "&&==",
  "=",
  "limit[]=1",
  "limit=1;limit=2",
  "limit=%ff",
  "?",
  "status=draft&status=draft",
  "limit=+1",
  "cursor=%00",
  "__proto__=1",
  `a=${"b".repeat(5000)}`
]

/** Path segments at which nothing is served. */
export const segments: ReadonlyArray<string> = [
  "",
  ".",
  "..",
  "%2e%2e",
  "%00",
  "%zz",
  "%",
  "%ff",
  "*",
  ":id",
  "null",
  "a%2Fb",
  "POSTS",
  "x;y=1",
  "a".repeat(300),
  "a".repeat(9000)
]
