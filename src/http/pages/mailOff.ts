import { Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerRespondable } from "effect/http"
import { html } from "../../domain/html.ts"
import { mailOffPath } from "../../domain/mail/mailLinks.ts"
import { type MailType, mailTypeNames } from "../../domain/plain/mail.ts"
import type { TurnedOff } from "../../repo/notifications/mailPreferences.ts"
import { Repo } from "../../repo/Repo.ts"
import { orProblem } from "../problems.ts"
import { cardPage } from "./cardPage.ts"

const settings = html`<a href="/settings/notifications">All choices are in the settings.</a>`

const names: Readonly<Record<string, string>> = mailTypeNames satisfies Readonly<Record<MailType, string>>

/** A link for a daily summary has no type of notifications. */
const about = ({ type }: TurnedOff): string =>
  names[type] === undefined ? "the daily summary" : `mail about ${names[type]}`

const unknownLink = cardPage(
  404,
  "This link does not work",
  html`<p>The link is incomplete, or its person is not a member of the workspace any more.</p><p>${settings}</p>`
)

const askPage = (found: TurnedOff, action: string) =>
  cardPage(
    200,
    `Turn off ${about(found)}?`,
    html`<p>You get it as a member of <strong>${found.workspaceName}</strong>.</p>
${found.isLast ? html`<p>No other admin gets failures, so they come once a day in a summary from now on.</p>` : ""}
<form method="post" action="${action}"><button class="primary">Turn it off</button></form>
<p class="note">${settings}</p>`
  )

const donePage = (done: TurnedOff) =>
  cardPage(
    200,
    done.isLast ? "Once a day from now on" : "Turned off",
    html`<p>You get no more ${about(done)} of <strong>${done.workspaceName}</strong>${
      done.isLast ? " immediately. Failures come once a day in a summary, because no other admin gets them" : ""
    }.</p><p class="note">${settings}</p>`
  )

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
