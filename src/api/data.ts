import { Schema } from "effect"

export const dataOf = <const Fields extends Schema.Struct.Fields>(description: string, fields: Fields) =>
  Schema.Struct({ data: Schema.Struct(fields).annotateKey({ description }) })

export const deleted = Schema.Literal(true).annotateKey({ description: "Always true." })
