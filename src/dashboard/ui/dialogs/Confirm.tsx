import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../controls/Button.tsx"
import { Dialog } from "./Dialog.tsx"

export interface Question {
  readonly title: string
  readonly text: ComponentChildren
  readonly action: string
  readonly danger?: boolean
}

interface Asked extends Question {
  readonly answer: (isSure: boolean) => void
}

/** Render `dialog`. */
export const useConfirm = () => {
  const [asked, setAsked] = useState<Asked>()
  const confirm = (question: Question) =>
    new Promise<boolean>((resolve) => {
      setAsked({
        ...question,
        answer: (isSure) => {
          setAsked(undefined)
          resolve(isSure)
        }
      })
    })
  const dialog = asked !== undefined && (
    <Dialog
      title={asked.title}
      size="small"
      onClose={() => {
        asked.answer(false)
      }}
      footer={
        <>
          <Button
            onClick={() => {
              asked.answer(false)
            }}
          >
            Cancel
          </Button>
          <Button
            kind={asked.danger === true ? "danger" : "primary"}
            onClick={() => {
              asked.answer(true)
            }}
          >
            {asked.action}
          </Button>
        </>
      }
    >
      <p>{asked.text}</p>
    </Dialog>
  )
  return { confirm, dialog }
}
