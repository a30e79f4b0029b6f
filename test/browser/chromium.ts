import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, mkdir, mkdtemp, rename, rm } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import packageJson from "./package.json" with { type: "json" }

/** True if Chromium runs on this system. It is built for 64-bit Linux. */
export const canRunBrowser = process.platform === "linux" && process.arch === "x64"

const cache = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url))
const folder = path.join(cache, `chromium-${packageJson.devDependencies["@sparticuz/chromium"]}`)

export const chromiumPath = path.join(folder, "chromium")

/**
 * Unpacks Chromium. The package unpacks into the temporary folder, so this file runs as a program with its own folder,
 * which is renamed once it is complete. If two runs unpack at the same time, the second discards its folder.
 */
export const unpackChromium = async (): Promise<void> => {
  if (existsSync(folder)) return
  await mkdir(cache, { recursive: true })
  const staging = await mkdtemp(`${folder}-`)
  try {
    const env = { ...process.env, TMPDIR: staging }
    await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url)], { env })
    for (const file of [staging, path.join(staging, "chromium")]) await chmod(file, 0o755)
    await rename(staging, folder)
  } catch (error) {
    await rm(staging, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}

if (import.meta.main) {
  const { default: chromium } = await import("@sparticuz/chromium")
  await chromium.executablePath()
}
