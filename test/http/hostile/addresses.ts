import { aLimit, aStatus, ambiguous, noSuchPost, nothingThere, posts, wrong } from "./answers.ts"
import type { HostileCase } from "./case.ts"
import { request } from "./request.ts"

const json = "Content-Type: application/json"

export const addresses: ReadonlyArray<HostileCase> = [
  { title: "two dots", send: request("GET /v1/../v1/posts?limit=1"), answers: [nothingThere] },
  { title: "two dots out of the root", send: request("GET /../../../../etc/passwd"), answers: [nothingThere] },
  { title: "two dots in percent signs", send: request("GET /v1/posts/%2e%2e/notifications"), answers: [nothingThere] },
  {
    title: "two dots in two rounds of percent signs",
    send: request("GET /%252e%252e/%252e%252e/etc/passwd"),
    answers: [nothingThere]
  },
  { title: "two dots with a backslash", send: request("GET /..\\..\\..\\windows\\win.ini"), answers: [nothingThere] },
  {
    title: "two dots in overlong UTF-8",
    send: request("GET /%c0%ae%c0%ae/%c0%ae%c0%ae/etc/passwd"),
    answers: [nothingThere]
  },
  { title: "two slashes", send: request("GET //v1//posts?limit=1"), answers: [nothingThere] },
  { title: "two slashes and a host", send: request("GET //elsewhere.example/v1/posts"), answers: [nothingThere] },
  { title: "a slash at the end", send: request("GET /v1/posts/?limit=1"), answers: [posts] },
  { title: "a slash in percent signs", send: request("GET /v1%2fposts"), answers: [nothingThere] },
  {
    title: "a slash within an id",
    send: request("GET /v1/posts/a%2fpublish"),
    answers: [wrong(["id", "Expected a UUID"])]
  },
  { title: "another way to write a letter", send: request("GET /v1/p%6fsts?limit=1"), answers: [posts] },
  { title: "capitals", send: request("GET /V1/POSTS"), answers: [nothingThere] },
  { title: "a parameter behind a semicolon", send: request("GET /v1/posts;a=b?limit=1"), answers: [nothingThere] },
  {
    title: "a fragment",
    send: request("GET /v1/posts?limit=1#limit=1000"),
    answers: [ambiguous("The URL of a request must not have a fragment")],
    closes: true
  },
  { title: "a question mark in percent signs", send: request("GET /v1/posts%3flimit=1"), answers: [nothingThere] },
  { title: "a NUL in the path", send: request("GET /v1/posts/%00"), answers: [wrong(["id", "Expected a UUID"])] },
  {
    title: "a NUL behind an id",
    send: request("GET /v1/posts/{post}%00"),
    answers: [wrong(["id", "Expected a UUID"])]
  },
  {
    title: "a line break in the path",
    send: request("GET /v1/posts/%0d%0aX-Injected:%201"),
    answers: [wrong(["id", "Expected a UUID"])]
  },
  { title: "a percent sign without digits", send: request("GET /v1/posts/%"), answers: [nothingThere] },
  { title: "a byte that UTF-8 does not have", send: request("GET /v1/posts/%ff"), answers: [nothingThere] },
  {
    title: "a space at the end of an id",
    send: request("GET /v1/posts/{post}%20"),
    answers: [wrong(["id", "Expected a UUID"])]
  },
  {
    title: "an id in braces",
    send: request("GET /v1/posts/%7B{post}%7D"),
    answers: [wrong(["id", "Expected a UUID"])]
  },
  {
    title: "an id of zeros",
    send: request("GET /v1/posts/00000000-0000-0000-0000-000000000000"),
    answers: [noSuchPost]
  },
  {
    title: "an id without its dashes",
    send: request("GET /v1/posts/00000000000000000000000000000000"),
    answers: [wrong(["id", "Expected a UUID"])]
  },
  {
    title: "an id of five thousand letters",
    send: request(`GET /v1/posts/${"a".repeat(5000)}`),
    answers: [wrong(["id", "Expected a UUID"])]
  },
  { title: "a wildcard for an id", send: request("GET /v1/posts/*"), answers: [wrong(["id", "Expected a UUID"])] },
  { title: "a placeholder for an id", send: request("GET /v1/posts/:id"), answers: [wrong(["id", "Expected a UUID"])] },
  {
    title: "an id of the prototype",
    send: request("GET /v1/posts/__proto__"),
    answers: [wrong(["id", "Expected a UUID"])]
  },
  {
    title: "an id of the constructor",
    send: request("GET /v1/posts/constructor"),
    answers: [wrong(["id", "Expected a UUID"])]
  },
  {
    title: "SQL for an id",
    send: request("GET /v1/posts/'%20OR%20'1'='1"),
    answers: [wrong(["id", "Expected a UUID"])]
  },
  {
    title: "SQL behind an id",
    send: request("DELETE /v1/posts/{post}';DROP%20TABLE%20posts;--"),
    answers: [nothingThere]
  },
  { title: "another workspace's id", send: request("GET /v1/posts/{foreign}"), answers: [noSuchPost] },
  { title: "another workspace's id to delete", send: request("DELETE /v1/posts/{foreign}"), answers: [noSuchPost] },
  {
    title: "another workspace's id to change",
    send: request("PATCH /v1/posts/{foreign}", { headers: [json], body: '{"content":"Mine"}' }),
    answers: [noSuchPost]
  },
  {
    title: "another workspace's id to publish",
    send: request("POST /v1/posts/{foreign}/publish"),
    answers: [noSuchPost]
  },
  { title: "a file of secrets", send: request("GET /.env"), answers: [nothingThere] },
  { title: "a repository", send: request("GET /.git/config"), answers: [nothingThere] },
  { title: "the sandbox where there is none", send: request("GET /sandbox"), answers: [nothingThere] },
  { title: "a page below the reference", send: request("GET /docs/../../package.json"), answers: [nothingThere] },
  { title: "a source map", send: request("GET /docs/index.js.map"), answers: [nothingThere] },
  { title: "sixteen thousand letters", send: request(`GET /${"a".repeat(14_000)}`), answers: [nothingThere] },
  { title: "seven thousand segments", send: request(`GET ${"/a".repeat(7000)}`), answers: [nothingThere] },
  {
    title: "a query of three thousand members",
    send: request(`GET /v1/posts?${"a=1&".repeat(3000)}limit=1`),
    answers: [posts]
  },
  {
    title: "a member of the query twice",
    send: request("GET /v1/posts?limit=1&limit=2"),
    answers: [wrong(["limit", "Expected string"])]
  },
  { title: "a member of the query as an array", send: request("GET /v1/posts?limit[]=1&limit=1"), answers: [posts] },
  {
    title: "a member of the query as an object",
    send: request("GET /v1/posts?limit[$gt]=1&limit=1"),
    answers: [posts]
  },
  {
    title: "a member of the query of the prototype",
    send: request("GET /v1/posts?__proto__[limit]=1000&constructor[prototype][limit]=1000&limit=1"),
    answers: [posts]
  },
  {
    title: "SQL in the query",
    send: request("GET /v1/posts?limit=1;DROP%20TABLE%20posts"),
    answers: [wrong(["limit", aLimit])]
  },
  {
    title: "SQL in the status",
    send: request("GET /v1/posts?status=draft'%20OR%201=1--"),
    answers: [wrong(["status", aStatus])]
  },
  {
    title: "SQL in the cursor",
    send: request("GET /v1/posts?cursor=eyJ2IjoxLCJiZWZvcmUiOiInIE9SIDE9MS0tIn0"),
    answers: [wrong(["cursor", "Expected a cursor from an earlier response"])]
  },
  {
    title: "the prototype in the cursor",
    send: request("GET /v1/posts?cursor=eyJ2IjoxLCJfX3Byb3RvX18iOnsiYmVmb3JlIjoiYSJ9fQ"),
    answers: [wrong(["cursor", "Expected a cursor from an earlier response"])]
  },
  { title: "a limit below nothing", send: request("GET /v1/posts?limit=-1"), answers: [wrong(["limit", aLimit])] },
  {
    title: "a limit beyond all numbers",
    send: request("GET /v1/posts?limit=1e999"),
    answers: [wrong(["limit", aLimit])]
  },
  {
    title: "a page beyond all pages",
    send: request("GET /v1/notifications?page=9007199254740993"),
    answers: [wrong(["page", "Expected a whole number from 0 to 1000000"])]
  },
  { title: "capitals for what is guarded", send: request("GET /METRICS"), answers: [nothingThere] },
  { title: "two slashes before what is guarded", send: request("GET //metrics"), answers: [nothingThere] },
  { title: "a semicolon behind what is guarded", send: request("GET /metrics;a"), answers: [nothingThere] },
  {
    title: "a fragment behind what is guarded",
    send: request("GET /metrics#a"),
    answers: [ambiguous("The URL of a request must not have a fragment")],
    closes: true
  }
]
