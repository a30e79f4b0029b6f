import { build, type BuildOptions } from "esbuild"
import { globSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

/** The files' names contain a hash of the content. */
export interface Bundle {
  readonly script: string
  readonly styles: string
  readonly icon: string
  readonly assets: Readonly<Record<string, string>>
}

const root = fileURLToPath(new URL("../dashboard/", import.meta.url))

/** Folders of style sheets. Later ones may build on earlier ones. */
const rooms = ["ui", "shared", "shell", "pages"]

const styleSheet = () => {
  const files = rooms.flatMap((room) => globSync(`${room}/**/*.css`, { cwd: root }).toSorted())
  const [tokens, others] = [["ui/tokens.css"], files.filter((file) => file !== path.join("ui", "tokens.css"))]
  return [...tokens, ...others].map((file) => `@import "./${file.split(path.sep).join("/")}";`).join("\n")
}

const settings: BuildOptions & { readonly write: false; readonly metafile: true } = {
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  outdir: root,
  absWorkingDir: root,
  target: ["chrome120", "firefox121", "safari17.2"],
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  logLevel: "error"
}

/** One script for the first load, one for each page, and one style sheet. */
export const bundle = async (): Promise<Bundle> => {
  const scripts = await build({
    ...settings,
    entryPoints: { dashboard: path.join(root, "main.tsx") },
    splitting: true,
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { "process.env.NODE_ENV": '"production"' }
  })
  const styles = await build({
    ...settings,
    stdin: { contents: styleSheet(), loader: "css", resolveDir: root, sourcefile: "styles.css" }
  })
  const icon = await build({ ...settings, entryPoints: [path.join(root, "icon.svg")], loader: { ".svg": "copy" } })
  const entry = Object.entries(scripts.metafile.outputs).find(([, { entryPoint }]) => entryPoint === "main.tsx")
  const [styleFile] = styles.outputFiles
  const [iconFile] = icon.outputFiles
  if (entry === undefined || styleFile === undefined || iconFile === undefined) throw new Error("Nothing was bundled")
  const files = [...scripts.outputFiles, styleFile, iconFile]
  return {
    script: path.basename(entry[0]),
    styles: path.basename(styleFile.path),
    icon: path.basename(iconFile.path),
    assets: Object.fromEntries(files.map((file) => [path.basename(file.path), file.text]))
  }
}
