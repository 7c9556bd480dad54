-- A card that asks the published address whether the game has a newer version, and lays it out if a player wants it.
-- Its state is JSON: title, address, version, tag. Nothing happens without an answer or a click.
local about

function onLoad(state)
  about = JSON.decode(state)
  WebRequest.get(about.address, function(answer)
    local readable, newest = pcall(JSON.decode, answer.text)
    readable = readable and type(newest) == "table" and newest.objects ~= nil
    if answer.is_error or answer.response_code ~= 200 or not readable then
      print(about.title .. ": no newer version was looked for, because " .. about.address .. " does not answer")
    elseif newest.version ~= about.version then
      about.newest = newest.objects
      broadcastToAll(about.title .. ": there is a newer version; a button on the card lays it out")
      self.createButton({
        click_function = "layOut", function_owner = self, label = "Lay out the newer version",
        tooltip = "The parts of this version leave the table, wherever they are. Rewind brings them back.",
        position = {0, 0.3, 0.5}, width = 1800, height = 300, font_size = 140,
      })
    end
  end)
end

function onSave()
  return JSON.encode({title = about.title, address = about.address, version = about.version, tag = about.tag})
end

-- A deck that formed on the table may have no tag; it belongs to the game if all its cards do.
local function belongs(thing)
  if thing.hasTag(about.tag) then return true end
  if thing.type ~= "Deck" then return false end
  for _, card in ipairs(thing.getObjects()) do
    local tagged = false
    for _, tag in ipairs(card.tags or {}) do
      tagged = tagged or string.lower(tag) == about.tag
    end
    if not tagged then return false end
  end
  return true
end

function layOut()
  for _, thing in ipairs(getObjects()) do
    if thing ~= self and belongs(thing) then thing.destruct() end
  end
  for _, object in ipairs(about.newest) do
    spawnObjectJSON({json = object})
  end
  self.destruct()
end
