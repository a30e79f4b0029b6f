import { assert, describe, it } from "@effect/vitest"
import { type Bundle, bundle } from "../../src/bundler/bundle.ts"

/** The scripts that a script loads before it runs, and itself. */
const loadedWith = ({ assets }: Bundle, script: string) => {
  const names = new Set([script])
  // The loop also visits the names that it adds.
  for (const name of names) {
    for (const [, found = ""] of (assets[name] ?? "").matchAll(/(?:import|from)"\.\/([^"]+)"/g)) names.add(found)
  }
  return names
}

describe("The dashboard's bundle", () => {
  it("A page loads at most seven scripts, the calendar five, and a page for log-in four", async () => {
    const made = await bundle()
    const most = { CalendarPage: 5, LoginPage: 4, PasswordPage: 4, InvitePage: 4 }
    const pages = Object.keys(made.assets).filter((name) => /^(?:\w+Page|PostView)-\w+\.js$/.test(name))
    const isOver = pages.filter((page) => {
      const limit = Object.entries(most).find(([name]) => page.startsWith(`${name}-`))?.[1] ?? 7
      return new Set([...loadedWith(made, made.script), ...loadedWith(made, page)]).size > limit
    })
    assert.isAbove(pages.length, 15)
    assert.deepStrictEqual(isOver, [])
  })
})
