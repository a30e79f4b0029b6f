import { type ControlProps, Select } from "./Field.tsx"

export interface SelectOneProps<A extends number | string> extends Partial<ControlProps> {
  readonly "aria-label"?: string
  readonly value: A
  readonly options: ReadonlyArray<readonly [value: A, label: string]>
  readonly onChoose: (value: A) => void
  /** True if the current choice stays selected until the service confirms another. */
  readonly isConfirmed?: boolean
}

export const SelectOne = <A extends number | string>(props: SelectOneProps<A>) => {
  const { isConfirmed = false, onChoose, options, value, ...rest } = props
  return (
    <Select
      {...rest}
      value={String(value)}
      onChange={({ currentTarget }) => {
        const chosen = options.find(([each]) => String(each) === currentTarget.value)
        if (isConfirmed) currentTarget.value = String(value)
        if (chosen !== undefined) onChoose(chosen[0])
      }}
    >
      {options.map(([each, label]) => (
        <option key={each} value={String(each)}>
          {label}
        </option>
      ))}
    </Select>
  )
}
