import { Console, DateTime, type Effect } from "effect"
import { CliOutput } from "effect/cli"

type Cell = string | number | boolean | null | DateTime.Utc | ReadonlyArray<string>

const formatCell = (cell: Cell): string => {
  if (cell === null) return "-"
  if (DateTime.isDateTime(cell)) return DateTime.formatIso(cell)
  if (typeof cell !== "object") return String(cell)
  return cell.length === 0 ? "-" : cell.join(" ")
}

export const printRecord = (asJson: boolean, record: Readonly<Record<string, Cell>>): Effect.Effect<void> => {
  if (asJson) return Console.log(JSON.stringify(record, undefined, 2))
  const width = Math.max(...Object.keys(record).map((name) => name.length))
  return Console.log(
    Object.entries(record)
      .map(([name, cell]) => `${name.padEnd(width)}  ${formatCell(cell)}`)
      .join("\n")
  )
}

export const printTable = (
  asJson: boolean,
  records: ReadonlyArray<Readonly<Record<string, Cell>>>,
  empty: string
): Effect.Effect<void> => {
  if (asJson) return Console.log(JSON.stringify(records, undefined, 2))
  const [first] = records
  if (first === undefined) return Console.log(empty)
  const names = Object.keys(first)
  const rows = [names, ...records.map((record) => names.map((name) => formatCell(record[name] ?? null)))]
  const widths = names.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const formatRow = (row: ReadonlyArray<string>) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd()
  return Console.log(rows.map(formatRow).join("\n"))
}

/** Prints errors without the whole help, which would push them off the screen. */
export const presenterLayer = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(
          [...event.errors.map(({ message }) => message), `See: ${event.commandPath.join(" ")} --help`].join("\n")
        )
      : CliOutput.defaultPresenter.present(event)
})
