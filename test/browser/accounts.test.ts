import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { findFaults, findFaultsInBothSchemes } from "./axe.ts"
import { Browser } from "./browser.ts"
import { canRunBrowser } from "./chromium.ts"
import { Dashboard } from "./dashboard.ts"
import { enter } from "./enter.ts"
import { createPost, hoursAhead } from "./posts.ts"

const logInToBluesky = async (page: Page, handle: string, password = "sandbox-app-password") => {
  await page.getByLabel("Handle").fill(handle)
  await page.getByLabel("App password", { exact: true }).fill(password)
  await page.getByRole("dialog").getByRole("button", { name: "Connect", exact: true }).click()
}

describe.skipIf(!canRunBrowser)("The dashboard's accounts, in Chromium (64-bit Linux alone)", () => {
  it.layer(Layer.merge(Browser.layer, Dashboard.layer))((it) => {
    it.effect(
      "Platforms in review are listed with the service's reason, and an account can be connected on no other",
      () =>
        Effect.gen(function* () {
          const page = yield* enter("/accounts")
          const seen = yield* Effect.promise(async () => {
            const review = page.getByRole("region", { name: "In review" })
            await review.getByRole("listitem").first().waitFor()
            const cards = page.getByRole("button", { name: /^(Reconnect|Connect) / })
            await cards.first().waitFor()
            return {
              platforms: await review.getByRole("listitem").count(),
              reasons: await review
                .getByText(
                  "Instagram is still in platform review and can’t be connected until the service’s operator enables it",
                  { exact: true }
                )
                .count(),
              buttons: await cards.allInnerTexts()
            }
          })
          assert.deepStrictEqual([seen.platforms, seen.reasons, seen.buttons.length], [6, 1, 2])
        })
    )

    it.effect("A platform that the operator has not enabled has no card, unless an account is connected there", () =>
      Effect.gen(function* () {
        const page = yield* enter("/settings/profile")
        const review = page.getByRole("region", { name: "In review" })
        const inReview = yield* Effect.promise(async () => {
          await page.route("**/v1/platforms", async (route) => {
            const response = await route.fetch()
            const { data } = await response.json()
            const changed = data.map((each: { platform: string; state: string }) =>
              each.state === "live" ? { ...each, state: "in_review", reason: "reworded" } : each
            )
            await route.fulfill({ response, json: { data: changed } })
          })
          await page.route("**/v1/integrations", async (route) => {
            const response = await route.fetch()
            const { data } = await response.json()
            const kept = data.filter((each: { platform: string }) => each.platform === "bluesky")
            await route.fulfill({ response, json: { data: kept } })
          })
          await page.getByRole("link", { name: "Accounts" }).click()
          await review.getByText("X is still in platform review").waitFor()
          const cards = page.getByRole("button", { name: /^(Reconnect|Connect) / })
          // The accounts may arrive after the platforms.
          await cards.first().waitFor()
          return cards.allInnerTexts()
        })
        assert.lengthOf(inReview, 1)
      })
    )

    it.effect("A wrong app password is said in words at its field", () =>
      Effect.gen(function* () {
        const page = yield* enter("/accounts")
        const password = page.getByLabel("App password", { exact: true })
        const description = yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Reconnect Bluesky" }).click()
          await logInToBluesky(page, "demo.sandbox.test", "wrong")
          await page.getByText("does not accept").waitFor()
          return password.evaluate((input) => input.ariaDescribedByElements?.[0]?.textContent)
        })
        assert.include(description, "Bluesky does not accept this handle with this app password")
      })
    )

    it.effect("A Bluesky account that was disconnected is connected again by an app password", () =>
      Effect.gen(function* () {
        const page = yield* enter("/accounts")
        const handle = page.getByText("@demo.sandbox.test", { exact: true })
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Disconnect Bluesky" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Disconnect", exact: true }).click()
          await page.getByRole("button", { name: "Connect Bluesky", exact: true }).click()
          await logInToBluesky(page, "demo.sandbox.test")
          await handle.waitFor()
        })
        assert.isTrue(yield* Effect.promise(() => handle.isVisible()))
      })
    )

    it.effect("Another Bluesky account takes the place of the one before when a person decides so", () =>
      Effect.gen(function* () {
        const page = yield* enter("/accounts")
        const shown = yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Reconnect Bluesky" }).click()
          await logInToBluesky(page, "other.sandbox.test")
          await page
            .getByRole("heading", { name: "Connect @other.sandbox.test instead of @demo.sandbox.test?" })
            .waitFor()
          await page.getByRole("button", { name: "Cancel" }).click()
          await page.getByRole("dialog").waitFor({ state: "detached" })
          const kept = await page.getByText("@demo.sandbox.test", { exact: true }).isVisible()
          await page.getByRole("button", { name: "Reconnect Bluesky" }).click()
          await logInToBluesky(page, "other.sandbox.test")
          await page.getByRole("button", { name: "Replace the account" }).click()
          await page.getByRole("dialog").waitFor({ state: "detached" })
          await page.getByText("@other.sandbox.test", { exact: true }).waitFor()
          return [kept, await page.getByText("@demo.sandbox.test", { exact: true }).count()]
        })
        assert.deepStrictEqual(shown, [true, 0])
      })
    )

    const change = {
      token: "t",
      platform: "bluesky",
      replaces: "did:plc:before",
      current: { account_id: "did:plc:before", username: "before.test" },
      next: { account_id: "did:plc:after", username: "after.test" },
      waiting: { drafts: 0, scheduled: 2, failed: 0 }
    }
    /** Opens the decision about a changed account. The service responds to the decision with `response`. */
    const openDecision = async (page: Page, response: { readonly status: number; readonly json: object }) => {
      await page.route("**/v1/integrations/bluesky", (route) =>
        route.fulfill({ status: 409, json: { code: "another_account_connected", detail: "Another", change } })
      )
      await page.route("**/v1/integrations/decision", (route) => route.fulfill(response))
      await page.getByRole("button", { name: "Reconnect Bluesky" }).click()
      await logInToBluesky(page, "after.test")
      await page.getByRole("button", { name: "Replace the account" }).waitFor()
    }

    it.effect("A decision for drafts says so where another decision came first and the posts stay scheduled", () =>
      Effect.gen(function* () {
        const page = yield* enter("/accounts")
        const account = { username: "after.test" }
        const text = yield* Effect.promise(async () => {
          await openDecision(page, { status: 200, json: { data: account, unchanged: change.waiting } })
          await page.getByRole("button", { name: "Replace it, and make scheduled posts drafts" }).click()
          const dialog = page.getByRole("dialog")
          await dialog.getByRole("heading", { name: "No post was made a draft" }).waitFor()
          return dialog.getByRole("paragraph").innerText()
        })
        assert.include(text, "2 scheduled posts wait for @after.test.")
      })
    )

    it.effect("The decision can be left also where the change is gone or the service is away", () =>
      Effect.gen(function* () {
        const page = yield* enter("/accounts")
        const gone = yield* Effect.promise(async () => {
          await openDecision(page, { status: 404, json: { code: "not_found", detail: "There is no such change" } })
          await page.getByRole("button", { name: "Replace the account" }).click()
          await page.getByRole("alert").getByText("There is no such change").waitFor()
          await page.getByRole("button", { name: "Close" }).click()
          return page.getByRole("dialog").count()
        })
        assert.strictEqual(gone, 0)
      })
    )

    it.effect.each([
      ["light", 1440],
      ["dark", 360]
    ] as const)(
      "X's consent and the decision on another account are for everybody in the %s scheme",
      ([colorScheme, width]) =>
        Effect.gen(function* () {
          const page = yield* enter("/accounts", { colorScheme, width })
          const seen = yield* Effect.promise(async () => {
            await page.getByRole("button", { name: "Reconnect X" }).click()
            await page.getByRole("link", { name: "Allow" }).waitFor()
            const consent = await findFaults(page)
            await page.getByRole("link", { name: "Allow" }).click()
            const primary = page.getByRole("button", { name: "Replace the account" })
            await primary.waitFor()
            const decision = await findFaults(page)
            const isStyled =
              (await page.evaluate("getComputedStyle(document.querySelector('.primary')).borderRadius")) === "8px"
            const overflow = Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth"))
            await page.getByRole("button", { name: "Cancel" }).click()
            await page.getByText("@visitor", { exact: true }).waitFor({ state: "detached" })
            return { consent, decision, isStyled, overflow: Math.max(0, overflow), path: new URL(page.url()).pathname }
          })
          assert.deepStrictEqual(seen, { consent: [], decision: [], isStyled: true, overflow: 0, path: "/accounts" })
        })
    )

    it.effect("An X account is connected on X's own page, from which the person comes back", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const page = yield* enter("/accounts")
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Reconnect X" }).click()
          await page.getByRole("link", { name: "Allow" }).click()
          // The sandbox's X gives access to a different account from the demo's.
          await page.getByRole("button", { name: "Replace the account" }).click()
          // The decision's page names both accounts.
          await page.waitForURL(`${url}/accounts`)
          await page.getByText("@visitor", { exact: true }).waitFor()
        })
        assert.strictEqual(page.url(), `${url}/accounts`)
      })
    )

    it.effect("A person who declined on X is told so, once", () =>
      Effect.gen(function* () {
        const { url } = yield* Dashboard
        const page = yield* enter("/accounts?from=twitter&error=declined")
        yield* Effect.promise(() => page.getByText("You did not give access on X, so nothing was changed.").waitFor())
        assert.strictEqual(page.url(), `${url}/accounts`)
      })
    )

    it.effect("An error that nobody knows is told as a refusal", () =>
      Effect.gen(function* () {
        const page = yield* enter("/accounts?from=twitter&error=__proto__")
        yield* Effect.promise(() => page.getByText("X did not accept the connection, so nothing was changed").waitFor())
      })
    )

    it.effect("What went out from a replaced account keeps its name, and what waits is linked from the new one", () =>
      Effect.gen(function* () {
        const { key, url } = yield* Dashboard
        const page = yield* enter("/accounts")
        const before = yield* Effect.promise(async () =>
          (await page.getByText(/^@\w+\.sandbox\.test$/).innerText()).slice(1)
        )
        const out = yield* createPost(key, {
          content: "Out before the change",
          platforms: ["bluesky"],
          schedule_at: new Date().toISOString()
        })
        yield* createPost(key, { content: "Still waits", platforms: ["bluesky"], schedule_at: hoursAhead(40) })
        yield* Effect.promise(async () => {
          await page.goto(`${url}/posts/${out}`)
          await page.getByText("Published", { exact: true }).first().waitFor()
          await page.goto(`${url}/accounts`)
          await page.getByRole("button", { name: "Reconnect Bluesky" }).click()
          await logInToBluesky(page, "later.sandbox.test")
          await page.getByRole("button", { name: "Replace the account" }).click()
          await page.getByRole("dialog").waitFor({ state: "detached" })
          const card = page.getByRole("listitem").filter({ hasText: "@later.sandbox.test" })
          await card.getByText("None yet").waitFor()
          await card.getByRole("link", { name: "1 scheduled" }).click()
          await page.getByRole("list", { name: "Posts" }).getByText("Still waits").waitFor()
          await page.goto(`${url}/posts/${out}`)
          await page.getByText(`@${before}, an earlier account`).first().waitFor()
          assert.strictEqual(await page.getByText("An earlier account", { exact: true }).count(), 0)
          assert.strictEqual(await page.getByText("@later.sandbox.test").count(), 0)
          assert.include(
            await page.getByRole("link", { name: /^View on Bluesky/ }).getAttribute("href"),
            "/sandbox/bluesky"
          )
        })
      })
    )

    it.effect("Everybody can use the accounts in both color schemes", () =>
      Effect.gen(function* () {
        const page = yield* enter("/accounts")
        yield* Effect.promise(() => page.getByRole("button", { name: "Reconnect Bluesky" }).waitFor())
        const problems = [...(yield* Effect.promise(() => findFaultsInBothSchemes(page)))]
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Reconnect Bluesky" }).click()
          await page.getByRole("dialog").waitFor()
        })
        problems.push(...(yield* Effect.promise(() => findFaultsInBothSchemes(page))))
        assert.deepStrictEqual(problems, [])
      })
    )
  })
})
