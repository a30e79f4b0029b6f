import { mailTypeNames } from "../../../domain/plain/mail.ts"

const names: Readonly<Record<string, string>> = { ...mailTypeNames, digest: "daily summary" }

const capitalized = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

/** The type of mail as a label. A type of a later version is shown as it is. */
export const mailName = (type: string): string => capitalized(names[type] ?? type)
