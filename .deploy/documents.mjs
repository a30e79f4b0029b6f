import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises"
import { posix } from "node:path"

/** What of the checkout an operator reads and installs, and where the package has it. */
const shipped = {
  ".deploy/README.md": "README.md",
  ".deploy/alerts.yaml": "deploy/alerts.yaml",
  ".deploy/nginx.conf": "deploy/nginx.conf",
  ".deploy/social-publisher.service": "deploy/social-publisher.service",
  "src/api/README.md": "docs/api.md",
  "src/backup/README.md": "docs/backup.md",
  "src/cli/README.md": "docs/commands.md"
}

/** Leads the links of a page to where the package has their files. A link to a file that it does not have becomes its text. */
const relink = (text, from) =>
  text.replaceAll(/\[([^\]]+)\]\((?![a-z]+:|#)([^)#]+)(#[^)]*)?\)/g, (_, label, target, anchor = "") => {
    const to = shipped[posix.join(posix.dirname(from), target)]
    return to === undefined ? label : `[${label}](${posix.relative(posix.dirname(shipped[from]), to)}${anchor})`
  })

/** Copies them from one directory to another, both file URLs that end in a slash. */
export const copyDocuments = async (root, dist) => {
  for (const [from, to] of Object.entries(shipped)) {
    const target = new URL(to, dist)
    await mkdir(new URL(".", target), { recursive: true })
    if (from.endsWith(".md")) await writeFile(target, relink(await readFile(new URL(from, root), "utf8"), from))
    else await copyFile(new URL(from, root), target)
  }
}
