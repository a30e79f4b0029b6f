import { useState } from "preact/hooks"
import { setQuery } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { Chip } from "../../ui/controls/Chip.tsx"
import { Input } from "../../ui/controls/Field.tsx"
import { Menu, type MenuItem } from "../../ui/controls/Menu.tsx"
import { Icon, type IconName } from "../../ui/Icon.tsx"
import { livePlatforms, platformNames } from "../../../domain/plain/platforms.ts"
import { useNow } from "../../ui/time/Time.tsx"
import { describeRange, type Filters, hasFilters, noFilters, sorts, statusFilters, timeRanges } from "./filters.ts"
import { RangeDialog } from "./RangeDialog.tsx"

interface ChoiceProps {
  readonly label: string
  readonly icon?: IconName
  /** What holds now. */
  readonly value: string | undefined
  readonly groups: ReadonlyArray<ReadonlyArray<MenuItem>>
  readonly align?: "start" | "end"
}

/** A filter with many choices: a chip that opens them. */
const Choice = ({ align = "start", groups, icon, label, value }: ChoiceProps) => (
  <Menu
    label={label}
    align={align}
    groups={groups}
    trigger={(props) => (
      <button
        type="button"
        class="chip chip-button posts-choice"
        data-on={value === undefined ? undefined : ""}
        aria-label={value === undefined ? label : `${label}: ${value}`}
        {...props}
      >
        {icon !== undefined && <Icon name={icon} size={14} />}
        <span class="truncate">{value ?? label}</span>
        <Icon name="chevronDown" size={12} />
      </button>
    )}
  />
)

const TagFilter = ({ tag }: { readonly tag: string | undefined }) => {
  const [text, setText] = useState("")
  if (tag !== undefined) {
    return (
      <Chip
        removeLabel={`Remove the tag ${tag}`}
        onRemove={() => {
          setQuery({ tag: undefined })
        }}
      >
        #{tag}
      </Chip>
    )
  }
  return (
    <form
      class="posts-tag"
      onSubmit={(event) => {
        event.preventDefault()
        const name = text.trim().replace(/^#/, "")
        if (name === "") return
        setText("")
        setQuery({ tag: name })
      }}
    >
      <Input aria-label="Tag" placeholder="Tag" value={text} maxlength={256} enterkeyhint="search" onValue={setText} />
    </form>
  )
}

/** What narrows the list, kept in its address. */
export const FilterBar = ({ filters }: { readonly filters: Filters }) => {
  const now = useNow()
  const [choosesDays, setChoosesDays] = useState(false)
  const { from, platform, sort, status, tag, to } = filters
  const range = describeRange({ from, to }, now)
  return (
    <div class="posts-filters" role="group" aria-label="Filters">
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
        <Choice
          label="Platform"
          value={platform && platformNames[platform]}
          groups={[
            livePlatforms.map((id) => ({
              label: platformNames[id],
              checked: platform === id,
              onSelect: () => {
                setQuery({ platform: platform === id ? undefined : id })
              }
            })),
            platform === undefined
              ? []
              : [
                  {
                    label: "Any platform",
                    onSelect: () => {
                      setQuery({ platform: undefined })
                    }
                  }
                ]
          ]}
        />
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
        {hasFilters(filters) && (
          <Button
            kind="quiet"
            size="small"
            onClick={() => {
              setQuery(noFilters)
            }}
          >
            Clear
          </Button>
        )}
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
