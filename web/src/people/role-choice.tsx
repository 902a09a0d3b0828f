import { type Role, rolesUpTo } from '../api/people.ts';
import { peopleMessages } from '../messages/people.ts';
import { roleMessages } from '../messages/roles.ts';

/** Radio buttons for the roles that the own role may give; the field is `role`. */
export function RoleChoice({ ownRole, chosen }: { ownRole: Role; chosen: Role }) {
  return (
    <fieldset className="options">
      <legend>{peopleMessages.role}</legend>
      {rolesUpTo(ownRole).map((role) => (
        <label key={role} className="option">
          <input type="radio" name="role" value={role} defaultChecked={role === chosen} />
          <span>
            {roleMessages.name[role]}
            <small>{roleMessages.text[role]}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
