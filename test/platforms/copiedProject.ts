import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import path from "node:path"
import { root } from "../support/process/program.ts"

/** The only code outside a platform's folder: the endpoint that connects its accounts, by a consent page or a form. */
const endpoints = {
  pond: {
    api: `const connectPond = HttpApiEndpoint.post("connectPond", "/pond", {
  payload: ConnectTwitter,
  success: ConsentAuthorization.pipe(HttpApiSchema.status(201)),
  error: [shown.NotFound, PlatformUnavailable]
})
  .annotateMerge(operation({ id: "connectPond", scope: writing, summary: "Connect a Pond account", description: "Begins it." }))
  .middleware(CheckedInput)
  .middleware(JsonBody)
`,
    handler: `.handle("connectPond", ({ payload: { return_to = defaultReturnPath } }) => asData(connectByConsent("pond", return_to)))`
  },
  puddle: {
    api: `const connectPuddle = HttpApiEndpoint.post("connectPuddle", "/puddle", {
  payload: Schema.Struct({ name: Schema.NonEmptyString, croak: Schema.RedactedFromValue(Schema.NonEmptyString) }),
  success: HttpApiSchema.WithHeaders(OneIntegration.pipe(HttpApiSchema.status(201)), { location: Schema.String }),
  error: [shown.NotFound, AnotherAccountConnected, PlatformUnavailable]
})
  .annotateMerge(operation({ id: "connectPuddle", scope: writing, summary: "Connect a Puddle account", description: "Logs in." }))
  .middleware(CheckedInput)
  .middleware(JsonBody)
`,
    handler: `.handle("connectPuddle", ({ payload }) => connectByForm("puddle", payload))`
  }
}
type Added = keyof typeof endpoints
const added: ReadonlyArray<Added> = ["pond", "puddle"]

const capitalized = (name: string) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`

/** The source of one of the pond's files, under another name. Only the pond connects accounts by a consent page. */
const renamed = (source: string, name: Added) =>
  source
    .replaceAll('"../../../src/platforms/', '"../')
    .replaceAll('"../../../src/', '"../../')
    .replaceAll("link: ways.consent", name === "pond" ? "link: ways.consent" : "link: ways.form")
    .replaceAll(/(?<![Rr]es)pond/g, name)
    .replaceAll("Pond", capitalized(name))
    .replaceAll("POND", name.toUpperCase())

const parts = new Set([
  "adapter.ts",
  "api.ts",
  "facts.ts",
  "link.ts",
  "live.ts",
  "preview.ts",
  "rules.ts",
  "standIn.ts",
  "trial.ts"
])

/** Replaces each text in a file. Fails if a text does not occur exactly once. */
const edit = async (file: string, changes: ReadonlyArray<readonly [string, string]>) => {
  const before = await readFile(file, "utf8")
  const after = changes.reduce((source, [from, to]) => {
    if (source.split(from).length !== 2) throw new Error(`${file} has ${source.split(from).length - 1} times: ${from}`)
    return source.replace(from, () => to)
  }, before)
  await writeFile(file, after)
}

/** Copies the service's sources into a directory. The copy uses this project's packages. */
export const copyProject = async (directory: string) => {
  for (const name of ["src", "migrations", "package.json", "tsconfig.json"]) {
    await cp(path.join(root, name), path.join(directory, name), { recursive: true })
  }
  await symlink(path.join(root, "node_modules"), path.join(directory, "node_modules"))
}

/**
 * Adds two platforms to a copy: the pond, and the puddle, which is a pond whose accounts are connected by a form. Each
 * is a folder and four lines.
 */
export const addPlatforms = async (directory: string) => {
  const platforms = path.join(directory, "src/platforms")
  const pond = path.join(root, "test/platforms/pond")
  for (const name of added) {
    await mkdir(path.join(platforms, name), { recursive: true })
    for (const file of await readdir(pond)) {
      if (!parts.has(file)) continue
      const source = await readFile(path.join(pond, file), "utf8")
      await writeFile(path.join(platforms, name, file), renamed(source, name))
    }
  }
  const imports = (part: string) => added.map((name) => `import { ${name} } from "./${name}/${part}"\n`).join("")
  const names = added.join(", ")
  await edit(path.join(platforms, "facts.ts"), [
    ["import { bluesky }", `${imports("facts.ts")}import { bluesky }`],
    ["= { twitter, bluesky,", `= { twitter, bluesky, ${names},`]
  ])
  await edit(path.join(platforms, "settings.ts"), [
    ["  bluesky: {},\n", `  bluesky: {}, ${added.map((name) => `${name}: {}`).join(", ")},\n`]
  ])
  await edit(path.join(platforms, "previews.ts"), [
    ["import { bluesky }", `${imports("preview.ts")}import { bluesky }`],
    ["  bluesky,\n", `  bluesky, ${names},\n`]
  ])
  await edit(path.join(platforms, "live.ts"), [
    ["import { twitter }", `${imports("live.ts")}import { twitter }`],
    ["  bluesky,\n", `  bluesky, ${names},\n`]
  ])
  await edit(path.join(directory, "src/api/accounts/Integrations.ts"), [
    ["const decide = ", `${added.map((name) => endpoints[name].api).join("\n")}\nconst decide = `],
    ["connectTwitter,", `connectTwitter, ${added.map((name) => `connect${capitalized(name)}`).join(", ")},`]
  ])
  await edit(path.join(directory, "src/http/handlers/integrations.ts"), [
    [`.handle("decide"`, `${added.map((name) => endpoints[name].handler).join("\n      ")}\n      .handle("decide"`]
  ])
}

/** Removes the four lines of each added platform, and its endpoints. The folders stay. */
export const removePlatforms = async (directory: string) => {
  for (const file of [
    "src/platforms/facts.ts",
    "src/platforms/settings.ts",
    "src/platforms/previews.ts",
    "src/platforms/live.ts",
    "src/api/accounts/Integrations.ts",
    "src/http/handlers/integrations.ts"
  ]) {
    await cp(path.join(root, file), path.join(directory, file))
  }
}
