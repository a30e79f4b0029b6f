import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, assert, beforeEach, describe, it } from "vitest"

const program = fileURLToPath(new URL("../../.ci/links.mjs", import.meta.url))

let directory = ""
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "linked pages "))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const write = async (files: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(directory, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

/** Whether the check passes, and the lines that it prints. */
const check = () =>
  new Promise<readonly [passes: boolean, lines: ReadonlyArray<string>]>((resolve) => {
    execFile(process.execPath, [program, directory], (error, output) =>
      resolve([error === null, output.split("\n").filter((line) => line !== "")])
    )
  })

describe("the check of links", () => {
  it("Links to files, headings and pictures that exist pass, and so do other hosts and what code shows", async () => {
    await write({
      // What stands between two removed characters leaves two hyphens, as on GitHub.
      "README.md":
        "# Start\n\n## Start\n\n[a](docs/page.md#what-is-a--b) [b](#start-1) [c](docs) ![d](docs/a%20picture.png) [`e`](docs/page.md)\n" +
        "[f](https://example.com/none) `[g](none.md)`\n\n```md\n[h](none.md)\n```\n\n[i]: docs/page.md#it_s-2\n",
      "docs/page.md": "# What is `a` & b?\n\n### It_s 2!\n\n[up](../README.md#start)\n",
      "docs/a picture.png": "",
      "node_modules/other/README.md": "[broken](none.md)\n"
    })
    assert.deepStrictEqual(await check(), [true, []])
  })

  it("Each link and picture that leads nowhere is named with its file and line", async () => {
    await write({
      "README.md": '# Start\n\n[a](none.md) ![b](none.png)\n\n[c](#stop) [d](page.md#stop)\n<img src="none.svg">\n',
      "page.md": "```md\n# Stop\n```\n\n[e]: /none.md\n"
    })
    assert.deepStrictEqual(await check(), [
      false,
      [
        "README.md:3: none.md: there is no such file",
        "README.md:3: none.png: there is no such file",
        "README.md:5: #stop: there is no such heading",
        "README.md:5: page.md#stop: there is no such heading",
        "README.md:6: none.svg: there is no such file",
        "page.md:5: /none.md: there is no such file"
      ]
    ])
  })

  it("A directory without pages does not pass", async () => {
    const [passes] = await check()
    assert.isFalse(passes)
  })
})
