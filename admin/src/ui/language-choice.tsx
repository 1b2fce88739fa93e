import { Menu, NativeSelect } from "@mantine/core";
import { chooseLanguage, chosenLanguage, type Language, languages } from "../language/language.ts";
import { say } from "../language/say.ts";

/** The choice of the page's language, which is kept in this browser. The page is loaded again with it. */

const label = say("Language of the page");
const ofBrowser = "browser";
const offered = [
  { value: ofBrowser, label: say("The browser's") },
  ...Object.entries(languages).map(([value, name]) => ({ value, label: name })),
];

function choose(value: string): void {
  chooseLanguage(value === ofBrowser ? undefined : (value as Language));
  location.reload();
}

const chosen = (): string => chosenLanguage() ?? ofBrowser;

export const LanguageInput = () => (
  <NativeSelect
    label={label}
    description={say("It is kept in this browser.")}
    data={offered}
    value={chosen()}
    onChange={(event) => choose(event.currentTarget.value)}
  />
);

/** The same in a menu. */
export const LanguageItems = () => (
  <>
    <Menu.Label>{label}</Menu.Label>
    <Menu.RadioGroup value={chosen()} onChange={choose}>
      {offered.map((each) => (
        <Menu.RadioItem key={each.value} value={each.value} lang={each.value === ofBrowser ? undefined : each.value}>
          {each.label}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
    <Menu.Divider />
  </>
);
