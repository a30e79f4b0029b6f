import { Effect, Queue, Redacted, type Scope } from "effect"
import type { Socket } from "node:net"
import { SMTPServer } from "smtp-server"
import type { MailSettings } from "../../src/domain/mail/mailSettings.ts"

/** A message as the server got it. */
export interface ReceivedMail {
  readonly to: ReadonlyArray<string>
  readonly from: string
  readonly raw: string
}

/** The server's answers at the stages of a message. Each is asked for once per message. */
export interface Faults {
  /** An error answers RCPT TO; `responseCode` is its status. */
  readonly atRecipient?: (address: string) => Error | null
  /** Runs after the message was received. `cut` ends the connection without an answer; `hang` never answers. */
  readonly afterData?: (mail: ReceivedMail) => "ok" | "cut" | "hang" | Error
  /** Milliseconds between the content and its answer. */
  readonly answersAfter?: number
}

export const refusal = (responseCode: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode })

export const password = "the canary password 4711"

/** A mail server on a loopback port, with a login. It collects the messages that it answers with 250. */
export const makeSmtpReceiver = ({ afterData, answersAfter = 0, atRecipient }: Faults = {}): Effect.Effect<
  {
    readonly settings: MailSettings
    readonly received: Queue.Queue<ReceivedMail>
    /** Every message whose content arrived, whatever the answer. */
    readonly arrived: Queue.Queue<ReceivedMail>
  },
  never,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const received = yield* Queue.unbounded<ReceivedMail>()
    const arrived = yield* Queue.unbounded<ReceivedMail>()
    const sockets = new Set<Socket>()
    const server = new SMTPServer({
      disabledCommands: ["STARTTLS"],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      onAuth: (auth, _session, done) =>
        auth.password === password ? done(null, { user: auth.username }) : done(refusal(535, "Wrong password")),
      onRcptTo: ({ address }, _session, done) => done(atRecipient?.(address) ?? null),
      onData: (stream, { envelope }, done) => {
        const chunks: Array<Uint8Array> = []
        stream.on("data", (chunk: Uint8Array) => chunks.push(chunk))
        stream.on("end", () => {
          const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address
          const to = envelope.rcptTo.map(({ address }) => address)
          const mail = { to, from, raw: Buffer.concat(chunks).toString() }
          Queue.offerUnsafe(arrived, mail)
          const result = afterData?.(mail) ?? "ok"
          if (result === "cut") for (const socket of sockets) socket.destroy()
          if (result instanceof Error) done(result)
          if (result !== "ok") return
          Queue.offerUnsafe(received, mail)
          if (answersAfter === 0) done()
          else setTimeout(done, answersAfter)
        })
      }
    })
    server.on("error", () => undefined)
    server.server.on("connection", (socket: Socket) => {
      sockets.add(socket)
      socket.on("close", () => sockets.delete(socket))
    })
    const port = yield* Effect.acquireRelease(
      Effect.callback<number>((resume) => {
        server.listen(0, "127.0.0.1", () => {
          const address = server.server.address()
          resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
        })
      }),
      () =>
        Effect.sync(() => {
          for (const socket of sockets) socket.destroy()
          server.close(() => undefined)
        })
    )
    const settings: MailSettings = {
      server: {
        host: "127.0.0.1",
        port,
        beginsWithTls: false,
        requiresTls: false,
        login: { user: "publisher", password: Redacted.make(password) }
      },
      from: { name: "Social Publisher", address: "posts@publisher.example" }
    }
    return { settings, received, arrived }
  })

/** Unfolds the header lines of a message. */
export const headerOf = ({ raw }: ReceivedMail, name: string): string | undefined =>
  new RegExp(`^${name}: *(.*(?:\\r\\n[ \\t].*)*)`, "im")
    .exec(raw.slice(0, raw.indexOf("\r\n\r\n")))?.[1]
    ?.replaceAll(/\r\n[ \t]+/g, " ")
    .trim()
