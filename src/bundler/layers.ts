import type { Metafile, Plugin } from "esbuild"
import { readFile } from "node:fs/promises"
import path from "node:path"

/**
 * The order in which a person usually loads scripts. Each group has a layer, which is one script: all modules of
 * `main.tsx`, or the modules that other scripts share with the group. esbuild alone makes a script for each combination
 * of scripts that share modules, and pages then load fifty.
 */
const order = [
  ["main.tsx"],
  ["pages/login/LoginPage.tsx", "pages/password/PasswordPage.tsx", "pages/invite/InvitePage.tsx"],
  ["pages/calendar/CalendarPage.tsx"],
  ["pages/calendar/late/late.ts"]
]

/** The modules of each layer, and the number of the last layer that a script needs. */
interface Layers {
  readonly modules: ReadonlyArray<ReadonlyArray<string>>
  readonly lastOf: ReadonlyMap<string, number>
}

/**
 * Layers for a bundle without layers. A module that `main.tsx` needs is in the first layer, even if no other script
 * needs it. Any other shared module is in the layer of the first group in `order` that needs it, or else in the last
 * layer. A module that only one other script needs is in no layer. A script that needs a layer also loads the layers
 * before it, because they can be needed by this layer.
 */
export const findLayers = ({ inputs }: Metafile): Layers => {
  const importsOf = (module: string) => inputs[module]?.imports ?? []
  const dynamic = Object.keys(inputs).flatMap((module) =>
    importsOf(module).flatMap((found) => (found.kind === "dynamic-import" ? [found.path] : []))
  )
  const scripts = Array.from(new Set([...order.flat(), ...dynamic]))

  const reached = new Map<string, ReadonlySet<string>>()
  for (const script of scripts) {
    if (inputs[script] === undefined) throw new Error(`There is no script ${script} to bundle`)
    // The loop also visits the modules that are added during the loop.
    const needed = new Set([script])
    for (const module of needed) {
      for (const found of importsOf(module)) if (found.kind !== "dynamic-import") needed.add(found.path)
    }
    reached.set(script, needed)
  }
  const usesOf = (module: string) => scripts.filter((script) => reached.get(script)?.has(module))

  const modules = Array.from({ length: order.length + 1 }, () => new Array<string>())
  const layerOf = new Map<string, number>()
  for (const module of Object.keys(inputs)) {
    if (scripts.includes(module)) continue
    const first = order.findIndex((group) => group.some((script) => reached.get(script)?.has(module)))
    if (first !== 0 && usesOf(module).length < 2) continue
    const layer = first < 0 ? order.length : first
    modules[layer]?.push(module)
    layerOf.set(module, layer)
  }
  const lastOf = new Map(
    scripts.map((script) => [
      script,
      Math.max(0, ...Array.from(reached.get(script) ?? [], (module) => layerOf.get(module) ?? 0))
    ])
  )
  return { modules, lastOf }
}

const namespace = "layer"

/** Makes each script import its layers, so that they all share the same modules. */
export const withLayers = (root: string, { lastOf, modules }: Layers): Plugin => ({
  name: "layers",
  setup: (building) => {
    building.onResolve({ filter: /^layer:/ }, (args) => ({ path: args.path.slice("layer:".length), namespace }))
    building.onLoad({ filter: /.*/, namespace }, (args) => {
      const layer = Number(args.path)
      const before = layer > 0 ? [`layer:${layer - 1}`] : []
      const names = [...before, ...(modules[layer] ?? []).map((module) => `./${module}`)]
      return { contents: names.map((name) => `import ${JSON.stringify(name)}`).join("\n"), resolveDir: root }
    })
    building.onLoad({ filter: /\.tsx?$/, namespace: "file" }, async (args) => {
      const layer = lastOf.get(path.relative(root, args.path).split(path.sep).join("/"))
      if (layer === undefined) return undefined
      const source = await readFile(args.path, "utf8")
      return { contents: `${source}\nimport "layer:${layer}"\n`, loader: args.path.endsWith("x") ? "tsx" : "ts" }
    })
  }
})
