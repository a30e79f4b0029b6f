import { Effect, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import type { Configuration } from "../config.ts"
import { Scope } from "../domain/apiKey.ts"
import { LivePlatform } from "../domain/platform.ts"
import { Repo } from "../repo/Repo.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"

/** Creates a workspace with accounts on both sandbox platforms, unless there is a workspace already. Returns its API key. */
const createDemoWorkspace = Effect.gen(function* () {
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

/** The user, an admin, as whom a person continues without a password. Nobody knows theirs. */
export const demoEmail = "demo@sandbox.test"

const createDemoUser = Effect.gen(function* () {
  const { users, workspaces } = yield* Repo
  const random = yield* SecureRandom.SecureRandom
  const [workspace] = yield* workspaces.list
  if (workspace === undefined || Option.isSome(yield* users.find(demoEmail))) return
  const password = Redacted.make(Base64Url.encode(yield* random.randomBytes(32)))
  // Another process may create it at the same time.
  yield* Effect.catchTag(users.create(workspace.id, demoEmail, password, "admin"), "EmailTaken", () => Effect.void)
})

/** Creates the demo's workspace where there is none, and its user where people continue as them. Returns a new API key. */
export const createDemo = Effect.fnUntraced(function* ({ offersDemo }: Configuration) {
  const key = yield* createDemoWorkspace
  if (offersDemo) yield* createDemoUser
  return key
}, Effect.provide(SecureRandom.layerWebCrypto))

/** How the commands are run, from a checkout or from the built package. */
const commandLine = import.meta.url.endsWith(".ts") ? "npm run -s cli --" : "social-publisher"

/** A flag of 64 by 36 pixels, in base64. */
const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAEAAAAAkAQMAAAADwq7RAAAABlBMVEX/1U8dm/D4NzuvAAAACXBIWXMAAAsTAAALEwEAmpwYAAAAGElEQVQY02P4DwUMFDM+MDDwDzUGVfwOANu74x1mjynrAAAAAElFTkSuQmCC"

/** The text that a start prints: the service's addresses and, with a new demo key, requests that work when pasted. */
export const greeting = ({ baseUrl, offersDemo, platforms }: Configuration, demoKey: Option.Option<string>): string => {
  const addresses = [
    // Apart from the lines of the log, which a terminal shows too.
    "",
    `Listening on ${baseUrl}`,
    "",
    `  dashboard   ${baseUrl}/${offersDemo ? "   (open it and continue as demo)" : ""}`,
    `  reference   ${baseUrl}/docs`,
    ...(platforms === "sandbox" ? [`  timelines   ${baseUrl}/sandbox`] : [])
  ]
  if (Option.isNone(demoKey)) {
    return [...addresses, `  API keys    ${commandLine} key create --workspace ID`, ""].join("\n")
  }
  const auth = `-H 'Authorization: Bearer ${demoKey.value}'`
  const post = `curl -sS ${baseUrl}/v1/posts ${auth} -H 'Content-Type: application/json'`
  const now = `\\"platforms\\":[\\"twitter\\",\\"bluesky\\"],\\"schedule_at\\":\\"$(date -u +%FT%TZ)\\"`
  return [
    ...addresses,
    `  API key     ${demoKey.value}   (shown this once)`,
    "",
    "Publish a post, and see it on both timelines:",
    "",
    `  ${post} \\`,
    `    -d "{\\"content\\":\\"Hello at $(date +%T)\\",${now}}"`,
    "",
    "And one with a picture, which is ready for posts a moment after its upload:",
    "",
    `  id=$(echo ${picture} | base64 -d \\`,
    `    | curl -sS ${baseUrl}/v1/media ${auth} -F file=@- -F 'alt=A yellow flag' | grep -o '"id":"[^"]*' | cut -c7-)`,
    `  until curl -sS ${baseUrl}/v1/media/$id ${auth} | grep -q '"ready"'; do sleep 1; done`,
    `  ${post} \\`,
    `    -d "{\\"content\\":\\"A picture at $(date +%T)\\",\\"media\\":[{\\"id\\":\\"$id\\"}],${now}}"`,
    ""
  ].join("\n")
}
