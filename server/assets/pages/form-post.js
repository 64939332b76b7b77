// Sends the answer to the application; without JavaScript the button does.
document.forms[0].submit()
