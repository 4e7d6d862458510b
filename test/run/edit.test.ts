import { expect, it } from 'vitest';
import type { ChangeClass } from '../../src/core/plan/change.ts';
import { changeClasses } from '../../src/core/plan/change.ts';
import { countEdited, type Edit, editExamples, editFact, withInstead } from '../../src/run/edit.ts';

const nothing = () => ({ people: 0, parts: new Map(), classes: new Map(), examples: [] });

/** An edit of two keys that changes no one yet. */
const openEmpty = () => {
  const tally = { changed: nothing(), coming: nothing(), rejected: 0, givenBack: 0, takeOvers: [] };
  return {
    keys: ['mapping.area', 'scope'],
    tally: { ...tally, instead: [], insteadClasses: new Map() },
  } as unknown as Edit;
};
const change = (identification: string, ...classes: readonly ChangeClass[]) => ({ identification, classes });

it('an edit that changes no one is no fact, and neither is none', () => {
  expect([editFact(undefined, true), editFact(openEmpty(), false)]).toEqual([{}, {}]);
});

it('what an edit changes is counted by person, part and class; the first three are its examples', () => {
  const edit = openEmpty();
  countEdited(edit, change('ana', 'updates', 'configuration'), ['area']);
  countEdited(edit, change('eva', 'updates', 'emailChanges'), ['area', 'email']);
  countEdited(edit, change('leo', 'creates'), [], { place: 7, classes: ['creates', 'updates'] });
  countEdited(edit, change('mia', 'creates'), [], { place: 9, classes: ['creates'] });
  const ofChanged = { people: 2, parts: { area: 2, email: 1 }, classes: { updates: 2, emailChanges: 1 } };
  expect(editFact(edit, true)).toEqual({ edit: { ...ofChanged, keys: edit.keys } });
  const all = { ...ofChanged, people: 4, classes: { ...ofChanged.classes, creates: 2 }, keys: edit.keys };
  expect(editFact(edit, false)).toEqual({ edit: all });
  expect([editExamples(edit), edit.tally.instead]).toEqual([
    ['ana', 'eva'],
    [7, 9],
  ]);
  for (const name of ['pia', 'tom']) countEdited(edit, change(name, 'updates'), ['area']);
  expect(editExamples(edit)).toEqual(['ana', 'eva', 'pia']);
});

it('while an edit that changes only who comes is held, these are its people', () => {
  const edit = openEmpty();
  for (const name of ['ana', 'eva', 'leo', 'mia'])
    countEdited(edit, change(name, 'creates'), [], { place: 1, classes: ['creates', 'updates'] });
  expect(editFact(edit, true).edit?.people).toBe(4);
  expect(editExamples(edit)).toEqual(['ana', 'eva', 'leo']);
  const beside = Object.fromEntries(changeClasses.map((name) => [name, 1])) as Record<ChangeClass, number>;
  expect(withInstead(beside, edit)).toEqual({ ...beside, creates: 5, updates: 5 });
});
