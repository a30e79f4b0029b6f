import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { Agent, request } from "node:https"
import path from "node:path"
import { setTimeout } from "node:timers/promises"
import { selfSignedCertificate } from "../../http/node/selfSignedCertificate.ts"
import { freePort } from "../../support/process/program.ts"

const example = new URL("../../../.deploy/nginx.conf", import.meta.url)

/** The example's configuration, changed to the processes and paths of this machine. */
const siteFor = (site: string, urls: ReadonlyArray<string>, port: number, directory: string) => {
  const [before = "", ...rest] = site.split(/^ {2}server .*\n/m)
  const servers = urls.map((url) => `  server ${new URL(url).host} max_fails=1 fail_timeout=2s;\n`).join("")
  return `${before}${servers}${rest.join("")}`
    .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
    .replaceAll("/etc/letsencrypt/live/posts.example.com", directory)
}

export interface ProxiedRequest {
  readonly method: string
  readonly path: string
  readonly key: string
  readonly body?: unknown
}

/**
 * Runs nginx from Debian's package with the example of `.deploy` in front of the processes at these URLs. Needs `nginx`
 * in the path.
 */
export const nginx = Effect.fn("nginx")(function* (parent: string, urls: ReadonlyArray<string>) {
  const { cert, key } = selfSignedCertificate("nginx")
  const directory = path.join(parent, "nginx")
  const port = yield* Effect.promise(freePort)
  const file = path.join(directory, "nginx.conf")
  yield* Effect.promise(async () => {
    await mkdir(directory)
    await writeFile(path.join(directory, "fullchain.pem"), cert)
    await writeFile(path.join(directory, "privkey.pem"), key)
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    await writeFile(
      file,
      `${process.getuid?.() === 0 ? "user root;" : ""}
daemon off;
pid ${directory}/pid;
error_log ${directory}/error.log;
events {}
http {
access_log ${directory}/access.log;
${temporary.map((name) => `${name}_temp_path ${directory}/${name};`).join("\n")}
${siteFor(await readFile(example, "utf8"), urls, port, directory)}
}
`
    )
  })
  const agent = new Agent({ keepAlive: true, ca: cert, maxSockets: 64 })
  yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const child: ChildProcess = spawn("nginx", ["-c", file], { stdio: "inherit" })
      // Rejects if nginx is not installed.
      await once(child, "spawn")
      return child
    }),
    (child) =>
      Effect.promise(async () => {
        agent.destroy()
        const ended = once(child, "exit")
        child.kill("SIGTERM")
        await ended
      })
  )

  /** The status and the text of a response. The status is 0 if there is no response. */
  const send = (sent: ProxiedRequest) =>
    new Promise<{ readonly status: number; readonly text: string }>((resolve) => {
      const headers = { authorization: `Bearer ${sent.key}`, "content-type": "application/json" }
      const { method, path: target } = sent
      const asked = request({ agent, host: "127.0.0.1", port, method, path: target, headers }, (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk))
        response.once("close", () => resolve({ status: response.complete ? (response.statusCode ?? 0) : 0, text }))
      })
      asked.once("error", (error) => resolve({ status: 0, text: error.message }))
      asked.end(sent.body === undefined ? undefined : JSON.stringify(sent.body))
    })
  const listening = async (): Promise<void> => {
    if ((await send({ method: "GET", path: "/healthz", key: "" })).status === 200) return
    await setTimeout(50)
    await listening()
  }
  yield* Effect.promise(listening)
  return { send: (sent: ProxiedRequest) => Effect.promise(() => send(sent)) }
})
