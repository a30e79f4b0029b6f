import { Effect, Option, Redacted } from "effect"
import type { Configuration } from "../config.ts"
import { Scope } from "../domain/apiKey.ts"
import { LivePlatform } from "../domain/platform.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import { Repo } from "../repo/Repo.ts"

/** Makes a workspace to try the service with, connected on both sandbox platforms, where there is none; answers its key. */
export const demoWorkspace = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  const { apiKeys, integrations, workspaces } = yield* Repo
  if ((yield* workspaces.list).length > 0) return Option.none<string>()
  const { id } = yield* workspaces.create("Demo")
  yield* Effect.forEach(LivePlatform.literals, (platform) =>
    Effect.flatMap(sandbox.connect(platform, "demo"), (account) => integrations.connect(id, { platform, ...account }))
  )
  const { key } = yield* apiKeys.create({
    workspaceId: id,
    name: "Demo",
    scopes: Scope.literals,
    requiresApproval: false,
    expiresIn: null
  })
  return Option.some(Redacted.value(key))
})

/** What a start prints: where everything is and, the first time, a request that works when it is pasted. */
export const greeting = ({ baseUrl, platforms }: Configuration, key: Option.Option<string>): string => {
  const places = [
    `Listening on ${baseUrl}`,
    "",
    `  reference   ${baseUrl}/docs`,
    ...(platforms === "sandbox" ? [`  timelines   ${baseUrl}/sandbox`] : [])
  ]
  if (Option.isNone(key)) return [...places, "  API keys    npm run -s cli -- key create --workspace ID", ""].join("\n")
  return [
    ...places,
    `  API key     ${key.value}   (shown this once)`,
    "",
    "Publish a post, and see it on both timelines:",
    "",
    `  curl -sS ${baseUrl}/v1/posts -H 'Authorization: Bearer ${key.value}' -H 'Content-Type: application/json' \\`,
    `    -d "{\\"content\\":\\"Hello at $(date +%T)\\",\\"platforms\\":[\\"twitter\\",\\"bluesky\\"],\\"schedule_at\\":\\"$(date -u +%FT%TZ)\\"}"`,
    ""
  ].join("\n")
}
