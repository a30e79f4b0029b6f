// Fails where a link or an image of a tracked Markdown file leads to a file or a heading that does not exist.
// node .ci/links.mjs [DIRECTORY]: of an untracked directory, such as the built package, every Markdown file outside node_modules.
import { execFileSync } from "node:child_process"
import { existsSync, globSync, readFileSync, statSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

const root = process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url))
const files =
  process.argv[2] === undefined
    ? execFileSync("git", ["ls-files", "-z", "*.md"], { cwd: root, encoding: "utf8" }).split("\0").filter(Boolean)
    : globSync("**/*.md", { cwd: root, exclude: ["**/node_modules/**"] })

/** The lines of a page outside of its fenced code, which stay counted. */
const proseOf = (text) => {
  let fence
  return text.split("\n").map((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark === undefined) return fence === undefined ? line : ""
    if (fence === undefined) fence = mark
    else if (mark.startsWith(fence)) fence = undefined
    return ""
  })
}

/** The headings of a page as GitHub names them in URLs: without punctuation, and numbered where two have the same text. */
const anchorsOf = (lines) => {
  const seen = new Map()
  const headings = lines.flatMap((line) => /^ {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$/.exec(line)?.[1] ?? [])
  return new Set(
    headings.map((heading) => {
      const shown = heading.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
      const name = shown
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
        .replaceAll(" ", "-")
      const count = seen.get(name) ?? 0
      seen.set(name, count + 1)
      return count === 0 ? name : `${name}-${count}`
    })
  )
}

const pages = new Map()
const readPage = (file) => {
  if (!pages.has(file)) pages.set(file, proseOf(readFileSync(file, "utf8")))
  return pages.get(file)
}

/** The targets of a line: of links, images, definitions of links, and the sources of HTML. */
const targetsOf = (line) => {
  const text = line.replaceAll(/(`+)[^`]*\1/g, "")
  const inline = text.matchAll(/\]\(\s*<?([^\s)>]+)/g)
  const defined = text.matchAll(/^ {0,3}\[[^\]]+\]:\s+<?([^\s>]+)/g)
  const html = text.matchAll(/\s(?:href|src|srcset)="([^"\s]+)/g)
  return [...inline, ...defined, ...html].map(([, target]) => target)
}

/** Why a target does not exist; undefined where it does, or is another host's. */
const findFault = (file, target) => {
  if (/^[a-z][a-z\d+.-]*:|^\/\//i.test(target)) return undefined
  const [name, anchor] = decodeURI(target).split("#")
  const to =
    name === "" ? file : path.resolve(name.startsWith("/") ? root : path.dirname(file), name.replace(/^\//, ""))
  if (!existsSync(to)) return "there is no such file"
  if (anchor === undefined || anchor === "") return undefined
  if (statSync(to).isDirectory() || !to.endsWith(".md")) return undefined
  return anchorsOf(readPage(to)).has(anchor) ? undefined : "there is no such heading"
}

const faults = files.flatMap((name) => {
  const file = path.join(root, name)
  return readPage(file).flatMap((line, index) =>
    targetsOf(line).flatMap((target) => {
      const fault = findFault(file, target)
      return fault === undefined ? [] : [`${name}:${index + 1}: ${target}: ${fault}`]
    })
  )
})

if (files.length === 0) faults.push(`${root}: there is no Markdown file`)
process.stdout.write(faults.map((fault) => `${fault}\n`).join(""))
process.exitCode = faults.length === 0 ? 0 : 1
