import type { PostJson } from "../../api/posts.ts"
import { Choice } from "../../shared/filters/Choice.tsx"
import {
  describeRange,
  type Filters,
  hasFilters,
  sorts,
  statusFilters,
  timeRanges
} from "../../shared/filters/filters.ts"
import { ClearFilters } from "../../shared/filters/NoMatch.tsx"
import { MakerFilter, PlatformFilter, TagFilter } from "../../shared/filters/PostFilters.tsx"
import { SearchField } from "../../shared/filters/SearchField.tsx"
import { querySetter } from "../../shared/router.tsx"
import { Chip } from "../../ui/controls/Chip.tsx"
import { useNow } from "../../ui/time/Time.tsx"
import { useSwitch } from "../../ui/useOpen.ts"
import { RangeDialog } from "./RangeDialog.tsx"

const Statuses = ({ status }: Pick<Filters, "status">) => (
  <div class="posts-statuses">
    <Chip pressed={status === undefined} onClick={querySetter({ status: undefined })}>
      All
    </Chip>
    {statusFilters.map(({ id, label }) => (
      <Chip key={id} pressed={status === id} onClick={querySetter({ status: status === id ? undefined : id })}>
        {label}
      </Chip>
    ))}
  </div>
)

const TimeFilter = ({ from, to }: Pick<Filters, "from" | "to">) => {
  const now = useNow()
  const days = useSwitch()
  const range = describeRange({ from, to }, now)
  return (
    <>
      <Choice
        label="Time"
        icon="calendar"
        value={range}
        groups={[
          timeRanges(now).map((each) => ({
            label: each.label,
            checked: each.from === from && each.to === to,
            onSelect: querySetter({ from: each.from, to: each.to })
          })),
          [
            { label: "Choose days…", onSelect: days.turnOn },
            ...(range === undefined
              ? []
              : [{ label: "Any time", onSelect: querySetter({ from: undefined, to: undefined }) }])
          ]
        ]}
      />
      {days.isOn && <RangeDialog from={from} to={to} onClose={days.turnOff} />}
    </>
  )
}

const Order = ({ sort }: Pick<Filters, "sort">) => (
  <span class="posts-sort">
    <Choice
      label="Order"
      icon="filter"
      align="end"
      value={sorts.find(({ id }) => id === sort)?.label}
      groups={[
        sorts.map(({ id, label }) => ({
          label,
          checked: sort === id,
          onSelect: querySetter({ sort: id === "newest" ? undefined : id })
        }))
      ]}
    />
  </span>
)

export interface FilterBarProps {
  readonly filters: Filters
  readonly posts: ReadonlyArray<PostJson>
}

export const FilterBar = ({ filters, posts }: FilterBarProps) => (
  <div class="posts-filters" role="group" aria-label="Filters">
    <SearchField label="Search the posts" text={filters.text} />
    <Statuses {...filters} />
    <div class="posts-choices">
      <PlatformFilter {...filters} />
      <TimeFilter {...filters} />
      <TagFilter {...filters} />
      <MakerFilter by={filters.by} posts={posts} />
      {hasFilters(filters) && <ClearFilters />}
      <Order {...filters} />
    </div>
  </div>
)
