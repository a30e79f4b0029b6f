import { globSync, readFileSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { platforms } from "../../src/domain/plain/platforms.ts"

const src = path.resolve(import.meta.dirname, "../../src")

/** Threads are also what posts are part of, so that platform counts only as a string. */
const named = new RegExp(`"threads"|${platforms.filter((platform) => platform !== "threads").join("|")}`, "i")

const ownFolder = new RegExp(`^(?:platforms|sandbox)/(?:${platforms.join("|")})/`)

const withoutComments = (code: string): string => code.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$|\s\/\/ .*$/gm, "")

/** The files that may name a platform. A file that no longer does leaves the list. */
const allowed: ReadonlySet<string> = new Set([
  // Registries, with one line for each platform.
  "platforms/facts.ts",
  "platforms/layer.ts",
  "platforms/mediaAccess.ts",
  "platforms/rules.ts",
  // The operator's settings.
  "config.ts",
  "platforms/config.ts",
  "wiring/platforms.ts",
  "wiring/service.ts",
  // How accounts are connected and their access ended.
  "accounts/revokeAccess.ts",
  "api/accounts/Integrations.ts",
  "api/accounts/integrationBodies.ts",
  "cli/integration.ts",
  "dashboard/api/integrations.ts",
  "dashboard/pages/accounts/AccountsPage.tsx",
  "dashboard/pages/accounts/BlueskyDialog.tsx",
  "http/handlers/integrations.ts",
  "http/pages/accountDecision.ts",
  "http/pages/accountPages.ts",
  "http/pages/twitterCallback.ts",
  "platforms/AccountLinking.ts",
  // The sandbox and the demo.
  "demo/endings.ts",
  "demo/examples.ts",
  "demo/publishExample.ts",
  "demo/timelinePosts.ts",
  "sandbox/Sandbox.ts",
  "sandbox/address.ts",
  "sandbox/pages/consent.ts",
  "sandbox/pages/layout.ts",
  "sandbox/pages/post.ts",
  "sandbox/pages/postText.ts",
  "sandbox/pages/timelines.ts",
  "sandbox/routes.ts",
  "sandbox/state/accounts.ts",
  "sandbox/state/state.ts",
  "sandbox/state/tokens.ts",
  "wiring/demo.ts",
  // The trial of a thread on X, the setting of who may reply there, and what X charges.
  "api/posts/postResponses.ts",
  "cli/replyTrial.ts",
  "dashboard/pages/compose/replies.ts",
  "platforms/ReplyTrial.ts",
  // The language of posts on Bluesky.
  "cli/workspace.ts",
  // The examples of the API reference.
  "domain/samples.ts",
  // Definitions in SQL, which stay as they are stored, and a comment in a statement.
  "repo/postgres/indexes.ts",
  "repo/targets/resolve.ts",
  // The names of metadata in pages, such as twitter:title.
  "cards/pageMetadata.ts"
])

describe("the platforms", () => {
  it("Only these files outside a platform's folder name a platform", () => {
    const found = globSync("**/*.{ts,tsx,css}", { cwd: src })
      .filter(
        (file) => !ownFolder.test(file) && named.test(withoutComments(readFileSync(path.join(src, file), "utf8")))
      )
      .toSorted()
    assert.deepStrictEqual(
      found.filter((file) => !allowed.has(file)),
      []
    )
  })
})
