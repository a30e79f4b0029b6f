import {
  aPlatform,
  aTime,
  created,
  onePost,
  otherType,
  problem,
  unknownChange,
  unknownMember,
  unknownPlatform,
  wrong
} from "./answers.ts"
import type { HostileCase } from "./case.ts"
import { changing, creating, good, request, written } from "./request.ts"

const json = "Content-Type: application/json"

export const members: ReadonlyArray<HostileCase> = [
  {
    title: "an id of the caller's choice",
    send: creating(good({ id: "01a1fc17-dc2e-777d-ad63-5a461a1bba44" })),
    answers: [wrong(["id", unknownMember])]
  },
  {
    title: "another workspace",
    send: creating(good({ workspace_id: "01a1fc17-dc2e-777d-ad63-5a461a1bba44" })),
    answers: [wrong(["workspace_id", unknownMember])]
  },
  {
    title: "a time of publication",
    send: creating(good({ published_at: "1970-01-01T00:00:00Z" })),
    answers: [wrong(["published_at", unknownMember])]
  },
  {
    title: "a time of creation",
    send: creating(good({ created_at: "1970-01-01T00:00:00Z" })),
    answers: [wrong(["created_at", unknownMember])]
  },
  {
    title: "targets that are published",
    send: creating(good({ post_targets: [{ status: "published", platform_post_url: "https://evil.example" }] })),
    answers: [wrong(["post_targets", unknownMember])]
  },
  {
    title: "a status that is not to be ordered",
    send: creating(good({ status: "published" })),
    answers: [wrong(["status", 'Expected "draft" | "scheduled"'])]
  },
  {
    title: "the key's own rights",
    send: creating(good({ requires_approval: false, scopes: ["posts:publish"] })),
    answers: [wrong(["requires_approval", unknownMember], ["scopes", unknownMember])]
  },
  {
    title: "a change of the id",
    send: changing({ id: "01a1fc17-dc2e-777d-ad63-5a461a1bba44" }),
    answers: [wrong(["id", unknownChange])]
  },
  {
    title: "a change of the workspace",
    send: changing({ workspace_id: "01a1fc17-dc2e-777d-ad63-5a461a1bba44" }),
    answers: [wrong(["workspace_id", unknownChange])]
  },
  {
    title: "a change of the platforms",
    send: changing({ platforms: ["bluesky"] }),
    answers: [wrong(["platforms", unknownChange])]
  },
  {
    title: "a change to published",
    send: changing({ status: "published", published_at: "1970-01-01T00:00:00Z" }),
    answers: [wrong(["published_at", unknownChange], ["status", 'Expected "draft" | "scheduled"'])]
  },
  {
    title: "a change of the group",
    send: changing({ group_id: "01a1fc17-dc2e-777d-ad63-5a461a1bba44" }),
    answers: [wrong(["group_id", unknownChange])]
  },
  {
    title: "the prototype",
    send: creating(written("__proto__", '{"status":"published"}')),
    answers: [wrong(["__proto__", unknownMember])]
  },
  {
    title: "the prototype of an override",
    send: creating(written("platform_overrides", '{"__proto__":{"twitter":"evil"}}')),
    answers: [wrong(["platform_overrides.__proto__", unknownPlatform])]
  },
  {
    title: "the prototype of settings",
    send: creating(written("platform_settings", '{"__proto__":{"twitter":{"who_can_reply":"nobody"}}}')),
    answers: [wrong(["platform_settings.__proto__", unknownPlatform])]
  },
  {
    title: "the prototype of a platform's settings",
    send: creating(written("platform_settings", '{"twitter":{"__proto__":{"who_can_reply":"nobody"}}}')),
    answers: [created],
    changes: onePost
  },
  {
    title: "the constructor",
    send: creating(written("constructor", '{"prototype":{"status":"published"}}')),
    answers: [wrong(["constructor", unknownMember])]
  },
  {
    title: "a member of every object",
    send: creating(written("toString", '"a"')),
    answers: [wrong(["toString", unknownMember])]
  },
  {
    title: "a platform of every object",
    send: creating(good({ platforms: ["__proto__"] })),
    answers: [wrong(["platforms.0", aPlatform])]
  },
  {
    title: "another platform of every object",
    send: creating(good({ platforms: ["constructor"] })),
    answers: [wrong(["platforms.0", aPlatform])]
  },
  {
    title: "a setting with a name of every object",
    send: creating(written("platform_settings", '{"twitter":{"hasOwnProperty":1,"toString":1,"valueOf":1}}')),
    answers: [created],
    changes: onePost
  },
  {
    title: "a content that asks the database",
    send: creating(written("content", '{"$ne":null}')),
    answers: [wrong(["content", "Expected string"])]
  },
  {
    title: "a content in an array",
    send: creating(good({ content: ["Hello"] })),
    answers: [wrong(["content", "Expected string"])]
  },
  {
    title: "a content of null",
    send: creating(good({ content: null })),
    answers: [wrong(["content", "Expected string"])]
  },
  {
    title: "platforms as a text",
    send: creating(good({ platforms: "twitter" })),
    answers: [wrong(["platforms", "Expected array"])]
  },
  {
    title: "platforms as an object",
    send: creating(good({ platforms: { 0: "twitter", length: 1 } })),
    answers: [wrong(["platforms", "Expected array"])]
  },
  {
    title: "platforms within platforms",
    send: creating(good({ platforms: [["twitter"]] })),
    answers: [wrong(["platforms.0", aPlatform])]
  },
  {
    title: "a platform with a space",
    send: creating(good({ platforms: ["twitter "] })),
    answers: [wrong(["platforms.0", aPlatform])]
  },
  {
    title: "a platform in capitals",
    send: creating(good({ platforms: ["TWITTER"] })),
    answers: [wrong(["platforms.0", aPlatform])]
  },
  {
    title: "a platform with a NUL",
    send: creating(written("platforms", '["twitter\\u0000"]')),
    answers: [wrong(["platforms.0", aPlatform])]
  },
  {
    title: "tags as an object",
    send: creating(good({ tags: { length: 1 } })),
    answers: [wrong(["tags", "Expected array"])]
  },
  {
    title: "overrides as an array",
    send: creating(good({ platform_overrides: ["a"] })),
    answers: [wrong(["platform_overrides", "Expected object"])]
  },
  {
    title: "settings as an array",
    send: creating(good({ platform_settings: { twitter: [] } })),
    answers: [wrong(["platform_settings.twitter", "Expected object"])]
  },
  {
    title: "a time as an array",
    send: creating(good({ schedule_at: ["1970-01-02T00:00:00Z"] })),
    answers: [wrong(["schedule_at", "Expected string"])]
  },
  {
    title: "a time in the year 10000",
    send: creating(good({ schedule_at: "+010000-01-01T00:00:00Z" })),
    answers: [wrong(["schedule_at", aTime])]
  },
  {
    title: "a time below nothing",
    send: creating(good({ schedule_at: "-000001-01-01T00:00:00Z" })),
    answers: [wrong(["schedule_at", aTime])]
  },
  {
    title: "a sixtieth second",
    send: creating(good({ schedule_at: "1970-01-01T23:59:60Z" })),
    answers: [wrong(["schedule_at", aTime])]
  },
  {
    title: "a twenty-fifth hour",
    send: creating(good({ schedule_at: "1970-01-01T25:00:00Z" })),
    answers: [wrong(["schedule_at", aTime])]
  },
  { title: "SQL for a time", send: creating(good({ schedule_at: "now()" })), answers: [wrong(["schedule_at", aTime])] },
  {
    title: "a log-in with objects",
    send: request("POST /v1/session", {
      anonymous: true,
      headers: [json],
      body: '{"email":{"$gt":""},"password":{"$gt":""}}'
    }),
    answers: [wrong(["email", "Expected string"], ["password", "Expected string"])]
  },
  {
    title: "a log-in into a session of the caller's choice",
    send: request("POST /v1/session", {
      anonymous: true,
      headers: [json, "Origin: https://evil.example"],
      body: '{"email":"a@a.example","password":"a"}'
    }),
    answers: [problem(403, "cross_origin", "Logging in works from https://posts.example only")]
  },
  {
    title: "a log-in with a password of a kilobyte and a byte",
    send: request("POST /v1/session", {
      anonymous: true,
      headers: [json],
      body: JSON.stringify({ email: "a@a.example", password: "a".repeat(1025) })
    }),
    answers: [wrong(["password", "Expected a value with a length of at most 1024"])]
  },
  {
    title: "a log-in with a form",
    send: request("POST /v1/session", {
      anonymous: true,
      headers: ["Content-Type: application/x-www-form-urlencoded"],
      body: "email=a&password=b"
    }),
    answers: [otherType]
  },
  {
    title: "a log-in with another right",
    send: request("POST /v1/session", {
      anonymous: true,
      headers: [json],
      body: '{"email":"a@a.example","password":"a","role":"admin"}'
    }),
    answers: [wrong(["role", "Unknown member; there are email, password, workspace_id"])]
  }
]
