import { assert, describe, it } from "@effect/vitest"
import { bundle } from "../../src/bundler/bundle.ts"
import { readScripts } from "../support/readScripts.ts"

describe("The dashboard's bundle", () => {
  it("A page loads at most seven scripts, the calendar five, and a page for log-in four", async () => {
    const { assets, script } = await bundle()
    const loadedWith = async (name: string) => (await readScripts(name, (imported) => assets[imported] ?? "")).keys()
    const most = { CalendarPage: 5, LoginPage: 4, PasswordPage: 4, InvitePage: 4 }
    const pages = Object.keys(assets).filter((name) => /^(?:\w+Page|PostView)-\w+\.js$/.test(name))
    assert.isAbove(pages.length, 15)
    const over: Array<string> = []
    for (const page of pages) {
      const limit = Object.entries(most).find(([name]) => page.startsWith(`${name}-`))?.[1] ?? 7
      if (new Set([...(await loadedWith(script)), ...(await loadedWith(page))]).size > limit) over.push(page)
    }
    assert.deepStrictEqual(over, [])
  })
})
