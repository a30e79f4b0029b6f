import { Redacted } from "effect"
import { isLoopback } from "../plain/loopback.ts"
import type { MailAddress, SmtpServer } from "./mailSettings.ts"

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const loginOf = ({ password, username }: URL): SmtpServer["login"] | undefined => {
  if (username === "" && password === "") return null
  const user = decode(username)
  const secret = decode(password)
  return user === undefined || secret === undefined || user === "" || secret === ""
    ? undefined
    : { user, password: Redacted.make(secret) }
}

/** Undefined if it is not the address of an SMTP server. */
export const parseSmtpUrl = (text: string): SmtpServer | undefined => {
  const url = /^smtps?:\/\/\S+$/i.test(text) ? URL.parse(text) : null
  if (url === null || url.hostname === "" || !/^\/?$/.test(url.pathname) || url.search !== "" || url.hash !== "") {
    return undefined
  }
  const login = loginOf(url)
  if (login === undefined) return undefined
  const beginsWithTls = url.protocol === "smtps:"
  return {
    host: url.hostname.replaceAll(/^\[|\]$/g, ""),
    port: url.port === "" ? (beginsWithTls ? 465 : 587) : Number(url.port),
    beginsWithTls,
    requiresTls: !isLoopback(url.hostname),
    login
  }
}

const addressPattern = /^[^\s@<>"(),:;\\[\]\p{Cc}]+@[^\s@<>"(),:;\\[\]\p{Cc}]+$/u
const namePattern = /^[^<>"\p{Cc}]*$/u

/** Undefined if it is neither `posts@example.com` nor `A name <posts@example.com>`. */
export const parseMailAddress = (text: string): MailAddress | undefined => {
  const match = /^(?<name>[^<]*)<(?<address>[^<>]+)>$/.exec(text.trim())
  const name = (match?.groups?.["name"] ?? "").trim().replaceAll(/^"|"$/g, "")
  const address = match?.groups?.["address"] ?? text.trim()
  return addressPattern.test(address) && namePattern.test(name) ? { name, address } : undefined
}
