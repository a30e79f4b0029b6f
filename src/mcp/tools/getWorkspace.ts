import { DateTime, Effect, Schema } from "effect"
import { Tool } from "effect/ai"
import type { Integration } from "../../domain/accounts/integration.ts"
import { Instant } from "../../domain/instant.ts"
import { hasScope } from "../../domain/people/apiKey.ts"
import { RequestId } from "../../http/RequestId.ts"
import { truncated } from "../compactPost.ts"
import { makeTool } from "../tool.ts"

const output = Schema.Struct({
  workspace: Schema.Struct({ id: Schema.String, name: Schema.String }),
  key: Schema.Struct({
    name: Schema.String,
    scopes: Schema.Array(Schema.String),
    requires_approval: Schema.Boolean.annotateKey({
      description: "Whether the key only drafts, and a person approves."
    }),
    expires_at: Schema.NullOr(Instant)
  }),
  can: Schema.Struct({
    draft: Schema.Boolean,
    schedule: Schema.Boolean.annotateKey({ description: "Whether what is scheduled goes out without a person." }),
    publish: Schema.Boolean.annotateKey({ description: "Whether the tool publish_post is available." })
  }),
  accounts: Schema.NullOr(
    Schema.Array(
      Schema.Struct({
        platform: Schema.String,
        username: Schema.String,
        status: Schema.Literals(["connected", "needs_reconnect"])
      })
    )
  ).annotateKey({ description: "The connected accounts; null if the key lacks integrations:read." }),
  platforms: Schema.Literals(["sandbox", "live"]).annotateKey({
    description: "`sandbox`: posts go to a stand-in and to nobody else, so never say that one is live."
  }),
  held_since: Schema.NullOr(Instant).annotateKey({
    description: "When publishing was put on hold because a backup was restored; null if posts go out."
  }),
  now: Instant,
  rate_limit: Schema.Struct({
    limit: Schema.Int,
    window_seconds: Schema.Int,
    remaining: Schema.NullOr(Schema.Int).annotateKey({ description: "Requests left in this window." })
  }),
  truncated
})

const maxAccounts = 50

/** Has the same fields as a problem, so that the tool's result shows it like one. */
class KeyNeeded extends Schema.TaggedError<KeyNeeded>()("KeyNeeded", {
  code: Schema.tag("unauthorized"),
  detail: Schema.tag("This needs an API key"),
  request_id: Schema.String
}) {}

const accountOf = ({ platform, status, username }: Integration) => ({ platform, username, status })

export const getWorkspace = makeTool({
  name: "get_workspace",
  title: "Get the workspace",
  description:
    "Use this first: it tells the workspace, the connected accounts, the time, what this key may do, and whether posts reach real platforms. Changes nothing.",
  scopes: [],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: Tool.EmptyParams,
  output,
  run: Effect.fnUntraced(function* (_args, { agent, contract }) {
    const { data: me } = yield* contract.me.get()
    if (me.caller.type !== "key") return yield* new KeyNeeded({ request_id: yield* RequestId })
    const { expires_at, name, requires_approval, scopes } = me.caller
    const accounts = hasScope(scopes, "integrations:read")
      ? (yield* contract.integrations.list({ query: { limit: maxAccounts } })).data.map(accountOf)
      : null
    const drafts = hasScope(scopes, "posts:write")
    return {
      workspace: { id: me.workspace.id, name: me.workspace.name },
      key: { name, scopes, requires_approval, expires_at },
      can: {
        draft: drafts,
        schedule: drafts && !requires_approval,
        publish: hasScope(scopes, "posts:publish") && !requires_approval
      },
      accounts,
      platforms: me.platforms,
      held_since: me.publishing.held_since,
      now: yield* DateTime.now,
      rate_limit: { ...me.rate_limit, remaining: agent.remaining }
    }
  })
})
