import { Schema } from "effect"

export const listOf = <Item extends Schema.Constraint>(item: Item, description: string) =>
  Schema.Struct({ data: Schema.Array(item).annotateKey({ description }) })

export const pageOf = <Item extends Schema.Constraint, Cursor extends Schema.Constraint>(
  item: Item,
  description: string,
  cursor: Cursor
) =>
  Schema.Struct({
    ...listOf(item, description).fields,
    next_cursor: Schema.NullOr(cursor).annotateKey({
      description: "The `cursor` of the next page; null on the last page."
    })
  })

export const dataOf = <const Fields extends Schema.Struct.Fields>(description: string, fields: Fields) =>
  Schema.Struct({ data: Schema.Struct(fields).annotateKey({ description }) })

export const deleted = Schema.Literal(true).annotateKey({ description: "Always true." })
