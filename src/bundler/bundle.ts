import { build, type BuildOptions, type Plugin } from "esbuild"
import { globSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { findLayers, withLayers } from "./layers.ts"

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

/** Styles that the calendar does not need immediately. `shared/lateStyles.ts` loads them. */
const late =
  /^(?:pages\/(?!calendar\/)|pages\/calendar\/late\/|shared\/(?:(?:bulk|drafts|outlook|plan)\/|(?:filters\/filter-choices|page\/card|page\/page-header))|ui\/(?:(?:diff|preview)\/|display\/ring|time\/time-picker))/

const styleSheets = () => {
  const files = rooms.flatMap((room) => globSync(`${room}/**/*.css`, { cwd: root }).toSorted())
  const all = ["ui/tokens.css", ...files.map((file) => file.split(path.sep).join("/"))]
  const sheetOf = (isWanted: (file: string) => boolean) =>
    Array.from(new Set(all.filter(isWanted)), (file) => `@import "./${file}";`).join("\n")
  return { first: sheetOf((file) => !late.test(file)), late: sheetOf((file) => late.test(file)) }
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

/**
 * Parts of the library that its client imports and the dashboard does not use: mutations and endless lists. They are a
 * fortieth of the first load. The client calls `resumePausedMutations` when the browser is online again.
 */
const unused = new Map([
  ["mutationCache.js", "export class MutationCache { resumePausedMutations() { return Promise.resolve() } }"],
  [
    "infiniteQueryBehavior.js",
    "export const infiniteQueryBehavior = undefined, hasNextPage = undefined, hasPreviousPage = undefined"
  ]
])

const withoutUnused: Plugin = {
  name: "without unused parts",
  setup: (building) =>
    building.onLoad({ filter: /[\\/]query-core[\\/]build[\\/]modern[\\/]\w+\.js$/ }, (args) => {
      const contents = unused.get(path.basename(args.path))
      return contents === undefined ? undefined : { contents }
    })
}

const bundleStyles = async (contents: string, sourcefile: string) => {
  const { outputFiles } = await build({ ...settings, stdin: { contents, loader: "css", resolveDir: root, sourcefile } })
  const [file] = outputFiles
  if (file === undefined) throw new Error("No styles were bundled")
  return file
}

/** A script for each page, the layers that they share, and two style sheets. */
export const bundle = async (): Promise<Bundle> => {
  const sheets = styleSheets()
  const styleFile = await bundleStyles(sheets.first, "styles.css")
  const lateFile = await bundleStyles(sheets.late, "late.css")
  const buildScripts = (plugins: Array<Plugin>) =>
    build({
      ...settings,
      entryPoints: { dashboard: path.join(root, "main.tsx") },
      plugins,
      splitting: true,
      format: "esm",
      jsx: "automatic",
      jsxImportSource: "preact",
      define: {
        "process.env.NODE_ENV": '"production"',
        lateStyles: JSON.stringify(`/assets/${path.basename(lateFile.path)}`)
      }
    })
  const { metafile } = await buildScripts([withoutUnused])
  const scripts = await buildScripts([withoutUnused, withLayers(root, findLayers(metafile))])
  const icon = await build({ ...settings, entryPoints: [path.join(root, "icon.svg")], loader: { ".svg": "copy" } })
  const entry = Object.entries(scripts.metafile.outputs).find(([, { entryPoint }]) => entryPoint === "main.tsx")
  const [iconFile] = icon.outputFiles
  if (entry === undefined || iconFile === undefined) throw new Error("Nothing was bundled")
  const files = [...scripts.outputFiles, styleFile, lateFile, iconFile]
  return {
    script: path.basename(entry[0]),
    styles: path.basename(styleFile.path),
    icon: path.basename(iconFile.path),
    assets: Object.fromEntries(files.map((file) => [path.basename(file.path), file.text]))
  }
}
