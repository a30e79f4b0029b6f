import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { call, errorPaths } from "../../support/http/client.ts"
import { postId } from "../../support/http/samplePosts.ts"
import { ServerUrl } from "../../support/http/server.ts"

layer(ServerUrl.layer())("path and query parameters", (it) => {
  const malformedNumbers = [
    "",
    "0x10",
    "%205",
    "1e2",
    "-1",
    "+1",
    "01",
    "1.0",
    "ten",
    "%EF%BC%91",
    "99999999999999999999"
  ]

  it.effect.each([
    { path: "/v1/posts?limit=", values: [...malformedNumbers, "0", "1001"], name: "limit" },
    { path: "/v1/integrations?limit=", values: [...malformedNumbers, "0", "1001"], name: "limit" },
    { path: `/v1/posts/group/${postId}?limit=`, values: [...malformedNumbers, "0", "1001"], name: "limit" },
    { path: "/v1/notifications?limit=", values: [...malformedNumbers, "0", "101"], name: "limit" },
    { path: "/v1/notifications?page=", values: [...malformedNumbers, "1000001"], name: "page" },
    { path: "/v1/posts?group_id=", values: ["", "1", `${postId}0`], name: "group_id" },
    { path: "/v1/posts?tag=", values: ["", "%00", "a".repeat(257)], name: "tag" },
    {
      path: "/v1/posts?text=",
      values: ["", "ab%00", "a".repeat(201), "%E3%80%80%0A%20"],
      name: "text"
    },
    { path: "/v1/posts?created_by=", values: ["", "me", `${postId}0`], name: "created_by" },
    { path: "/v1/posts?platform=", values: ["", "Twitter", "x"], name: "platform" },
    { path: "/v1/posts?sort=", values: ["", "id", "-created_at"], name: "sort" },
    { path: "/v1/posts?order=", values: ["", "ASC", "newest"], name: "order" },
    { path: "/v1/posts?approval=", values: ["", "approved"], name: "approval" },
    { path: "/v1/posts?time=", values: ["", "any"], name: "time" },
    ...["scheduled_from", "scheduled_to", "created_from", "created_to"].map((name) => ({
      path: `/v1/posts?${name}=`,
      values: ["", "2030-01-31", "2030-02-30T00:00:00Z", "2030-01-31T09:00:00", "2030-01-31%2009:00Z", "1893456000"],
      name
    })),
    { path: "/v1/posts?status=", values: ["", "cancelled", "Draft", "%00"], name: "status" },
    {
      path: "/v1/posts?cursor=",
      values: ["", "abc", "!", postId, btoa("{}"), btoa(JSON.stringify({ v: 2, before: postId }))],
      name: "cursor"
    },
    { path: "/v1/posts/", values: ["abc", "1", "%00", "a".repeat(5000), `${postId}0`], name: "id" },
    { path: "/v1/posts/group/", values: ["abc"], name: "group_id" }
  ])("An invalid value of $name after $path gets a 400 that names the parameter", ({ path, values, name }) =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      for (const value of values) {
        const { status, body } = yield* call(`${url}${path}${value}`)
        assert.strictEqual(status, 400, value)
        assert.strictEqual(body.code, "invalid_request")
        assert.deepStrictEqual(errorPaths(body), [[name]])
      }
    })
  )

  it.effect("A parameter that is given more than once gets a 400 that says so, and others their own errors", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { body, status } = yield* call(`${url}/v1/posts?limit=1&limit=2&status=x`)
      assert.strictEqual(status, 400)
      assert.sameDeepMembers(errorPaths(body), [["limit"], ["status"]])
      assert.deepInclude(body.errors, { path: ["limit"], message: "Given more than once" })
    })
  )

  it.effect("Every invalid parameter is listed", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const names = ["limit", "status", "cursor", "sort", "order", "tag", "platform", "scheduled_from", "created_to"]
      const { body } = yield* call(`${url}/v1/posts?${names.map((name) => `${name}=`).join("&")}`)
      assert.sameDeepMembers(
        errorPaths(body),
        names.map((name) => [name])
      )
    })
  )
})
