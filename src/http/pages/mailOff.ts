import { Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerRespondable } from "effect/http"
import { html } from "../../domain/html.ts"
import { mailOffPath } from "../../domain/mail/mailLinks.ts"
import { digestType } from "../../domain/mail/mailPreferences.ts"
import { type MailType, mailTypeNames } from "../../domain/plain/mail.ts"
import type { TurnedOff } from "../../repo/notifications/mailPreferences.ts"
import { Repo } from "../../repo/Repo.ts"
import { orProblem } from "../problems.ts"
import { cardPage } from "./cardPage.ts"

const settings = html`<a href="/settings/notifications">the settings</a>`

const others = "Other mail still comes, and notifications stay in the dashboard."

const back = html`<p class="note">You can turn it on again in ${settings}, after a log-in.</p>`

const names: Readonly<Record<string, string>> = mailTypeNames satisfies Readonly<Record<MailType, string>>

/** A type of a later version has no name. */
const about = (type: string): string => `mail about ${names[type] ?? "this"}`

const and = new Intl.ListFormat("en", { type: "conjunction" })
const list = (types: ReadonlyArray<MailType>): string => and.format(types.map((type) => mailTypeNames[type]))

const becauseLast = "because no other admin gets mail about that"

const unknownLink = cardPage(
  404,
  "This link does not work",
  html`<p>The link is incomplete, or its person is not a member of the workspace any more. Nothing was changed.</p>
<p>If you still get mail, choose what you get in ${settings}, after a log-in.</p>`
)

const form = (action: string, label: string) =>
  html`<form method="post" action="${action}"><button class="primary">${label}</button></form>${back}`

const askAboutDigest = ({ kept, stopped, workspaceName }: TurnedOff, action: string) =>
  cardPage(
    200,
    "Turn off the daily summary?",
    html`<p>You get it as a member of <strong>${workspaceName}</strong>. ${
      stopped.length === 0 ? "" : `Mail about ${list(stopped)} stops. `
    }${others}</p>
${kept.length === 0 ? "" : html`<p>The summary still comes with ${list(kept)}, ${becauseLast}.</p>`}
${form(action, "Turn it off")}`
  )

const askAboutType = ({ kept, type, workspaceName }: TurnedOff, action: string) =>
  cardPage(
    200,
    `Turn off ${about(type)}?`,
    html`<p>You get it as a member of <strong>${workspaceName}</strong>. ${others}</p>
${kept.length === 0 ? "" : html`<p>It comes once a day in the daily summary instead, ${becauseLast}.</p>`}
${form(action, kept.length === 0 ? "Turn it off" : "Get it once a day")}`
  )

const isEmptyDigest = ({ kept, stopped, type }: TurnedOff) =>
  type === digestType && kept.length === 0 && stopped.length === 0

const donePage = (done: TurnedOff) => {
  const { kept, type, workspaceName } = done
  const of = html`of <strong>${workspaceName}</strong>`
  if (kept.length > 0) {
    return cardPage(
      200,
      "Once a day from now on",
      html`<p>Mail about ${list(kept)} ${of} comes once a day in the daily summary, ${becauseLast}.${
        type === digestType ? " Everything else in the summary is turned off." : ""
      } ${others}</p>${back}`
    )
  }
  return cardPage(
    200,
    "Turned off",
    html`<p>You get ${type === digestType ? "no daily summary" : `no more ${about(type)}`} ${of}. ${others}</p>${back}`
  )
}

const askPage = (found: TurnedOff, action: string) => {
  if (isEmptyDigest(found)) return donePage(found)
  return found.type === digestType ? askAboutDigest(found, action) : askAboutType(found, action)
}

const tokenOf = Effect.map(HttpServerRequest.ParsedSearchParams, ({ token }) =>
  typeof token === "string" && token.length <= 1_000 ? token : ""
)

/**
 * A GET changes nothing, because scanners open the links of mail. A POST by the page, or by a mail program (RFC 8058),
 * turns off the type of the link.
 */
export const mailOffLayer = Layer.unwrap(
  Effect.gen(function* () {
    const { mailPreferences } = yield* Repo

    const ask = Effect.gen(function* () {
      const token = yield* tokenOf
      const found = yield* orProblem(mailPreferences.findToken(token))
      return Option.match(found, {
        onNone: () => unknownLink,
        onSome: (one) => askPage(one, `${mailOffPath}?token=${encodeURIComponent(token)}`)
      })
    }).pipe(Effect.catch(HttpServerRespondable.toResponse))

    const turnOff = Effect.gen(function* () {
      const done = yield* orProblem(mailPreferences.turnOff(yield* tokenOf))
      return Option.match(done, { onNone: () => unknownLink, onSome: donePage })
    }).pipe(Effect.catch(HttpServerRespondable.toResponse))

    return Layer.merge(HttpRouter.add("GET", mailOffPath, ask), HttpRouter.add("POST", mailOffPath, turnOff))
  })
)
