import { execFile } from "node:child_process"
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { root } from "../support/process/program.ts"

let folder = ""
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "own packages "))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A folder without dependencies, or with one that has to come from a registry. */
const write = async (dependency: "none" | "remote", version = "1.0.0") => {
  const manifest = { name: "own", version, private: true }
  const dependencies = dependency === "none" ? {} : { effect: "4.1.0" }
  const remote = { version: "4.1.0", integrity: `sha512-${"A".repeat(86)}==` }
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ ...manifest, dependencies }))
  await writeFile(
    path.join(folder, "package-lock.json"),
    JSON.stringify({
      ...manifest,
      lockfileVersion: 3,
      requires: true,
      packages: {
        "": { ...manifest, dependencies },
        ...(dependency === "remote" && { "node_modules/effect": remote })
      }
    })
  )
}

const install = () =>
  new Promise<{ readonly ok: boolean; readonly said: string }>((resolve) => {
    const env = {
      ...process.env,
      npm_config_registry: "http://127.0.0.1:9/",
      npm_config_fetch_retries: "0",
      npm_config_cache: path.join(folder, "cache")
    }
    execFile(process.execPath, [path.join(root, ".bin/install.mjs"), folder], { env }, (error, _, said) =>
      resolve({ ok: error === null, said })
    )
  })

describe("installing the packages of a folder", () => {
  it("Processes that need a folder at the same time install it once, and a changed lock file again", async () => {
    await write("none")
    const first = await Promise.all([install(), install(), install()])
    assert.deepStrictEqual(
      first.map(({ ok }) => ok),
      [true, true, true]
    )
    assert.lengthOf(
      first.filter(({ said }) => said.includes("Installing")),
      1
    )
    assert.deepStrictEqual(await install(), { ok: true, said: "" })
    await write("none", "1.0.1")
    assert.include((await install()).said, "Installing")
  })

  it("Without a network, the error says what is missing and what helps, and nothing counts as installed", async () => {
    await write("remote")
    const failed = await install()
    assert.isFalse(failed.ok)
    assert.include(failed.said, "are not installed")
    assert.include(failed.said, "Connect to the network and try again")
    assert.notInclude(await readdir(path.join(folder, "node_modules")).catch(() => []), ".installed")
    await write("none")
    assert.isTrue((await install()).ok)
  })
})
