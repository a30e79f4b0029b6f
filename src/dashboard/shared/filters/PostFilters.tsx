import { useState } from "preact/hooks"
import type { PostJson } from "../../api/posts.ts"
import { querySetter, setQuery } from "../router.tsx"
import { useMe } from "../me.ts"
import { Chip } from "../../ui/controls/Chip.tsx"
import { Input } from "../../ui/controls/Field.tsx"
import { platformName } from "../../../domain/plain/platforms.ts"
import { Choice } from "./Choice.tsx"
import type { SharedFilters } from "./filters.ts"
import { useEnabled } from "../useEnabled.ts"

interface OneOfProps {
  readonly label: string
  readonly name: "by" | "platform"
  readonly chosen: string | undefined
  readonly choices: ReadonlyArray<{ readonly id: string; readonly label: string }>
  readonly any: string
}

const OneOf = ({ any, choices, chosen, label, name }: OneOfProps) => (
  <Choice
    label={label}
    value={chosen === undefined ? undefined : choices.find(({ id }) => id === chosen)?.label}
    groups={[
      choices.map((choice) => ({
        label: choice.label,
        checked: chosen === choice.id,
        onSelect: querySetter({ [name]: chosen === choice.id ? undefined : choice.id })
      })),
      chosen === undefined ? [] : [{ label: any, onSelect: querySetter({ [name]: undefined }) }]
    ]}
  />
)

export const usePlatformChoices = () => useEnabled().map((id) => ({ id, label: platformName(id) }))

export const PlatformFilter = ({ platform }: Pick<SharedFilters, "platform">) => (
  <OneOf label="Platform" name="platform" chosen={platform} choices={usePlatformChoices()} any="Any platform" />
)

export interface MakerFilterProps extends Pick<SharedFilters, "by"> {
  /** The posts whose authors can be chosen. */
  readonly posts: Iterable<PostJson>
}

/** The choices of authors: the person, the authors of the posts, and the chosen one. */
export const useMakers = (posts: Iterable<PostJson>, by: string | undefined) => {
  const { caller } = useMe()
  const makers = new Map<string, string>()
  for (const { created_by: maker } of posts) if (maker !== null) makers.set(maker.id, maker.name ?? "Somebody")
  makers.delete(caller.id)
  // Authors stay among the choices while a filter hides their posts.
  const [known, setKnown] = useState<ReadonlyMap<string, string>>(makers)
  if (Array.from(makers.keys()).some((id) => !known.has(id))) setKnown(new Map([...known, ...makers]))
  const others = Array.from(known, ([id, label]) => ({ id, label })).toSorted((one, two) =>
    one.label.localeCompare(two.label)
  )
  const choices = [{ id: caller.id, label: "Me" }, ...others]
  const chosen = by?.toLowerCase()
  return chosen === undefined || choices.some(({ id }) => id === chosen)
    ? choices
    : [...choices, { id: chosen, label: "Somebody" }]
}

export const MakerFilter = ({ by, posts }: MakerFilterProps) => (
  <OneOf label="Made by" name="by" chosen={by?.toLowerCase()} choices={useMakers(posts, by)} any="Anybody" />
)

export const TagFilter = ({ tag }: Pick<SharedFilters, "tag">) => {
  const [text, setText] = useState("")
  if (tag !== undefined) {
    return (
      <Chip removeLabel={`Remove the tag ${tag}`} onRemove={querySetter({ tag: undefined })}>
        #{tag}
      </Chip>
    )
  }
  return (
    <form
      class="filter-tag"
      onSubmit={(event) => {
        event.preventDefault()
        const name = text.trim().replace(/^#/, "")
        if (name === "") return
        setText("")
        setQuery({ tag: name }, { replace: false })
      }}
    >
      <Input aria-label="Tag" placeholder="Tag" value={text} maxlength={256} enterkeyhint="search" onValue={setText} />
    </form>
  )
}
