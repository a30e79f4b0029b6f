import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import path from "node:path"

const root = path.resolve(import.meta.dirname, "../..")

/** The names that sentences of the API have in code. */
const sentence = String.raw`\b(?:message|detail|reason)\b`
const literal = String.raw`(?:["'\x60](?!["'\x60])|/)`
const methods =
  "startsWith|endsWith|includes|indexOf|lastIndexOf|match|matchAll|replace|replaceAll|search|split|slice|substring|charAt|at"

const takenApart = new RegExp(
  [
    String.raw`${sentence}\??\.(?:${methods})\(`,
    String.raw`${sentence}\s*[!=]==?\s*${literal}`,
    String.raw`${literal}[^"'\n]*["'\x60]\s*[!=]==?\s*[\w.?]*${sentence}`,
    String.raw`\.(?:test|exec)\([\w.?]*${sentence}`,
    String.raw`switch \([\w.?]*${sentence}\)`,
    String.raw`\b(?:mayBePublished|duplicateWarning|blankText)\b(?!\.ts)`
  ].join("|")
)

/** The lines of a program that compare a sentence of the API, or match it. */
const findTakenApart = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => !/^(?:\*|\/\*|\/\/)/.test(line) && takenApart.test(line))

describe("The sentences of the API", () => {
  it.each([
    "const length = /^(\\w+) takes (\\d+)$/.exec(message)",
    'if (message === "Expected a text that is not blank") return 1',
    'if (message.startsWith("Expected a time")) return 1',
    'if ("Expected a time" === issue.message) return 1',
    'const isProcessing = ({ message }: Issue) => message.startsWith("This file")',
    "<span>{reason?.replace(platform, platformName(platform))}</span>",
    'const [first] = failure.detail.split("; ")',
    "switch (error.message) {",
    "mayBeOut: mayBePublished(error)"
  ])("A program that takes one apart is found: %s", (line) => {
    assert.deepStrictEqual(findTakenApart(line), [line])
  })

  it.each(['message === ""', "withPeriod(error.message)", "reason: facts.reason", '/** If message === "a" */'])(
    "A program that shows one is not: %s",
    (line) => {
      assert.deepStrictEqual(findTakenApart(line), [])
    }
  )

  it.each(["dashboard", "mcp", "cli"])(
    "No file of src/%s compares or matches one: codes and facts say what it means",
    (room) => {
      const files = globSync(`src/${room}/**/*.{ts,tsx}`, { cwd: root })
      assert.isAbove(files.length, 10)
      const found = files.flatMap((file) =>
        findTakenApart(readFileSync(path.join(root, file), "utf8")).map((line) => `${file}: ${line}`)
      )
      assert.deepStrictEqual(found, [])
    }
  )
})
