import { globSync, readFileSync } from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { platforms } from "../../src/domain/plain/platforms.ts"

const src = path.resolve(import.meta.dirname, "../../src")

/** Threads are also what posts are part of, so that platform counts only as a string. */
const named = new RegExp(`"threads"|${platforms.filter((platform) => platform !== "threads").join("|")}`, "i")

const ownFolder = new RegExp(`^platforms/(?:${platforms.join("|")})/`)

const withoutComments = (code: string): string => code.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$|\s\/\/ .*$/gm, "")

/** The package twitter-text finds links and tags in the texts of any platform. */
const withoutPackage = (code: string): string => code.replaceAll(/twitter-?text/gi, "")

/** The files that name a platform, and why. */
const naming = [
  // Registries, with one line for each platform.
  "platforms/facts.ts",
  "platforms/live.ts",
  "platforms/previews.ts",
  "platforms/settings.ts",
  // The endpoints that connect an account. Their names belong to the contract.
  "api/accounts/Integrations.ts",
  "api/accounts/integrationBodies.ts",
  "http/handlers/integrations.ts",
  // An example of a list of platforms in a URL.
  "api/posts/Queue.ts",
  // Before an authorization's platform was stored and named in the URL to return to, it was X.
  "dashboard/pages/accounts/AccountsPage.tsx",
  "repo/integrations/oauthStates.ts",
  // The earlier name of X's trial, the setting of who may reply there, and what X charges.
  "api/posts/postResponses.ts",
  "cli/checkPlatform.ts",
  "dashboard/pages/compose/replies.ts",
  // The language of posts on Bluesky.
  "cli/workspace.ts",
  // The examples of the API reference, and those of the demo.
  "demo/examples.ts",
  "domain/samples.ts",
  // Definitions in SQL, which stay as they are stored.
  "repo/postgres/indexes.ts",
  // Facebook Login, which gives access to Pages and to the Instagram accounts of Pages.
  "platforms/meta/config.ts",
  "platforms/meta/pages.ts",
  // The names of metadata in pages, such as twitter:title.
  "cards/pageMetadata.ts"
]

describe("the platforms", () => {
  it("Only these files outside a platform's folder name a platform", () => {
    const found = globSync("**/*.{ts,tsx,css}", { cwd: src })
      .filter(
        (file) =>
          !ownFolder.test(file) &&
          named.test(withoutPackage(withoutComments(readFileSync(path.join(src, file), "utf8"))))
      )
      .toSorted()
    assert.deepStrictEqual(found, naming.toSorted())
  })
})
