import type { ComponentChildren } from "preact"
import type { PostJson } from "../../../api/posts.ts"
import { countFilters, noFilters, type SharedFilters, statusFilters } from "../../../shared/filters/filters.ts"
import { TagFilter, useMakers, usePlatformChoices } from "../../../shared/filters/PostFilters.tsx"
import { setQuery } from "../../../shared/router.tsx"
import { Button } from "../../../ui/controls/Button.tsx"
import { Chip } from "../../../ui/controls/Chip.tsx"
import { Dialog } from "../../../ui/dialogs/Dialog.tsx"

interface GroupProps {
  readonly title: string
  readonly children: ComponentChildren
}

const Group = ({ children, title }: GroupProps) => (
  <div class="calendar-filter" role="group" aria-label={title}>
    <h3>{title}</h3>
    <div class="calendar-filter-choices">{children}</div>
  </div>
)

interface OneOfProps {
  readonly title: string
  readonly name: "by" | "platform" | "status"
  readonly chosen: string | undefined
  readonly choices: ReadonlyArray<{ readonly id: string; readonly label: string }>
}

const OneOf = ({ choices, chosen, name, title }: OneOfProps) => (
  <Group title={title}>
    {choices.map(({ id, label }) => (
      <Chip
        key={id}
        pressed={chosen === id}
        onClick={() => setQuery({ [name]: chosen === id ? undefined : id }, { replace: false })}
      >
        {label}
      </Chip>
    ))}
  </Group>
)

export interface FilterDialogProps {
  readonly filters: SharedFilters
  readonly posts: Iterable<PostJson>
  readonly onClose: () => void
}

/** The filters are in the address. */
export const FilterDialog = ({ filters, onClose, posts }: FilterDialogProps) => {
  const { by, platform, status, tag } = filters
  const makers = useMakers(posts, by)
  return (
    <Dialog
      title="Filter the calendar"
      onClose={onClose}
      footer={
        <>
          {countFilters(filters) > 0 && (
            <Button kind="quiet" onClick={() => setQuery({ ...noFilters, text: filters.text }, { replace: false })}>
              Clear
            </Button>
          )}
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <OneOf title="Status" name="status" chosen={status} choices={statusFilters} />
      <OneOf title="Platform" name="platform" chosen={platform} choices={usePlatformChoices()} />
      <OneOf title="Made by" name="by" chosen={by?.toLowerCase()} choices={makers} />
      <Group title="With this tag">
        <TagFilter tag={tag} />
      </Group>
    </Dialog>
  )
}
