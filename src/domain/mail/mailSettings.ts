import type { Redacted } from "effect"

export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** True if the connection begins with TLS. Otherwise it is upgraded by STARTTLS. */
  readonly beginsWithTls: boolean
  /** False only on this machine: what is sent there can't be read on the way. */
  readonly requiresTls: boolean
  readonly login: { readonly user: string; readonly password: Redacted.Redacted } | null
}

export interface MailSettings {
  readonly server: SmtpServer
  readonly from: MailAddress
}

export interface MailAddress {
  readonly name: string
  readonly address: string
}
