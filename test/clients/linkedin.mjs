// Checks LinkedIn's stand-in by LinkedIn's own client: node test/clients/linkedin.mjs
//
// The client posts, lists, uploads an image and deletes. An interceptor sends its requests to the stand-in, and refuses
// every other host. Installs the client in a temporary folder: its license is proprietary, so nothing of it is kept or
// copied here. Not part of the tests.
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { Effect, Redacted } from "effect"
import { pageOf } from "../../src/platforms/linkedin/standIn/accounts.ts"
import { standInVersion } from "../../src/platforms/linkedin/standIn/responses.ts"
import { linkedinStandIn } from "../../src/platforms/linkedin/standIn/standIn.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"

const folder = await mkdtemp(path.join(tmpdir(), "linkedin-client-"))
await writeFile(
  path.join(folder, "package.json"),
  JSON.stringify({ private: true, dependencies: { "linkedin-api-client": "0.3.0" } })
)
await promisify(execFile)("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: folder })
const { RestliClient } = createRequire(path.join(folder, "package.json"))("linkedin-api-client")

const usual = {
  visibility: "PUBLIC",
  distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
  lifecycleState: "PUBLISHED",
  isReshareDisabledByAuthor: false
}

/** The client, whose requests go to the stand-in alone. */
const clientAt = (url) => {
  const client = new RestliClient()
  client.axiosInstance.interceptors.request.use((config) => {
    const asked = new URL(config.url, config.baseURL)
    assert.equal(asked.origin, "https://api.linkedin.com")
    return { ...config, baseURL: undefined, url: `${url}${asked.pathname}${asked.search}`, proxy: false }
  })
  return client
}

const check = async (url, author, accessToken) => {
  const client = clientAt(url)
  const as = { accessToken, versionString: standInVersion }
  const create = (commentary) =>
    client.create({ resourcePath: "/posts", entity: { author, commentary, ...usual }, ...as })

  const { createdEntityId } = await create("From the client \\(escaped\\) {hashtag|\\#|go}")
  assert.match(createdEntityId, /^urn:li:share:\d+$/)
  await create("Cut here (and not here)")
  const listed = await client.finder({ resourcePath: "/posts", finderName: "author", queryParams: { author }, ...as })
  assert.deepEqual(
    listed.data.elements.map(({ commentary }) => commentary),
    ["Cut here ", "From the client \\(escaped\\) {hashtag|\\#|go}"]
  )

  const { data } = await client.action({
    resourcePath: "/images",
    actionName: "initializeUpload",
    data: { initializeUploadRequest: { owner: author } },
    ...as
  })
  assert.match(data.value.image, /^urn:li:image:/)
  const image = await client.get({ resourcePath: "/images/{id}", pathKeys: { id: data.value.image }, ...as })
  assert.equal(image.data.status, "WAITING_UPLOAD")

  await assert.rejects(
    client.create({ resourcePath: "/posts", entity: {}, accessToken, versionString: "202001" }),
    ({ response }) => response.status === 426
  )
  const removed = await client.delete({ resourcePath: "/posts/{id}", pathKeys: { id: createdEntityId }, ...as })
  assert.equal(removed.status, 204)
}

const sandboxLayer = Sandbox.layer({ configured: { linkedin: { standIn: { ...linkedinStandIn, account: pageOf } } } })
const checked = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  const { accountId, credentials } = yield* sandbox.connect("linkedin", "team")
  const { accessToken } = JSON.parse(Redacted.value(credentials))
  yield* Effect.promise(() => check(sandbox.apiUrls.linkedin, accountId, accessToken))
}).pipe(Effect.provide(sandboxLayer))
try {
  await Effect.runPromise(checked)
} finally {
  await rm(folder, { recursive: true, force: true })
}
process.stdout.write("LinkedIn's client 0.3.0 and the stand-in agree\n")
