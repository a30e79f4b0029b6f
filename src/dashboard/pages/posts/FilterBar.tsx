import { useState } from "preact/hooks"
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
import { setQuery } from "../../shared/router.tsx"
import { Chip } from "../../ui/controls/Chip.tsx"
import { useNow } from "../../ui/time/Time.tsx"
import { RangeDialog } from "./RangeDialog.tsx"

export interface FilterBarProps {
  readonly filters: Filters
  readonly posts: ReadonlyArray<PostJson>
}

/** Kept in the address. */
export const FilterBar = ({ filters, posts }: FilterBarProps) => {
  const now = useNow()
  const [choosesDays, setChoosesDays] = useState(false)
  const { by, from, platform, sort, status, tag, text, to } = filters
  const range = describeRange({ from, to }, now)
  return (
    <div class="posts-filters" role="group" aria-label="Filters">
      <SearchField label="Search the posts" text={text} />
      <div class="posts-statuses">
        <Chip
          pressed={status === undefined}
          onClick={() => {
            setQuery({ status: undefined })
          }}
        >
          All
        </Chip>
        {statusFilters.map(({ id, label }) => (
          <Chip
            key={id}
            pressed={status === id}
            onClick={() => {
              setQuery({ status: status === id ? undefined : id })
            }}
          >
            {label}
          </Chip>
        ))}
      </div>
      <div class="posts-choices">
        <PlatformFilter platform={platform} />
        <Choice
          label="Time"
          icon="calendar"
          value={range}
          groups={[
            timeRanges(now).map((each) => ({
              label: each.label,
              checked: each.from === from && each.to === to,
              onSelect: () => {
                setQuery({ from: each.from, to: each.to })
              }
            })),
            [
              {
                label: "Choose days…",
                onSelect: () => {
                  setChoosesDays(true)
                }
              },
              ...(range === undefined
                ? []
                : [
                    {
                      label: "Any time",
                      onSelect: () => {
                        setQuery({ from: undefined, to: undefined })
                      }
                    }
                  ])
            ]
          ]}
        />
        <TagFilter tag={tag} />
        <MakerFilter by={by} posts={posts} />
        {hasFilters(filters) && <ClearFilters />}
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
                onSelect: () => {
                  setQuery({ sort: id === "newest" ? undefined : id })
                }
              }))
            ]}
          />
        </span>
      </div>
      {choosesDays && (
        <RangeDialog
          from={from}
          to={to}
          onClose={() => {
            setChoosesDays(false)
          }}
        />
      )}
    </div>
  )
}
