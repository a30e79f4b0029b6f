import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, mkdir, mkdtemp, rename, rm } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import packageJson from "./package.json" with { type: "json" }

/** Whether Chromium runs on this system; it is built for 64-bit Linux. */
export const canRunBrowser = process.platform === "linux" && process.arch === "x64"

const here = fileURLToPath(new URL(".", import.meta.url))
const cache = path.join(here, "../../node_modules/.cache")
const folder = path.join(cache, `chromium-${packageJson.devDependencies["@sparticuz/chromium"]}`)

/** Where Chromium is once it has been unpacked. */
export const chromiumPath = path.join(folder, "chromium")

const unpack = `import chromium from "@sparticuz/chromium"; await chromium.executablePath()`

/**
 * Unpacks Chromium, which the package does into the temporary folder. A process of its own has a folder of its own for that, which
 * is renamed once it is whole: nobody starts a file that is still being written, and of two runs at once the second one drops its own.
 */
export const unpackChromium = async (): Promise<void> => {
  if (existsSync(folder)) return
  await mkdir(cache, { recursive: true })
  const staging = await mkdtemp(`${folder}-`)
  try {
    await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", unpack], {
      cwd: here,
      env: { ...process.env, TMPDIR: staging }
    })
    for (const file of [staging, path.join(staging, "chromium")]) await chmod(file, 0o755)
    await rename(staging, folder)
  } catch (error) {
    await rm(staging, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}
