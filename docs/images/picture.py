#!/usr/bin/env python3
"""Draws the displaced body of a results file, coloured by a field (Debian's python3-vtk9, without a screen). Of several states
it shows STATE, or the last, where VTK is 9.3 or newer, the first otherwise. Flat bodies are seen from
the front, with their cells.

    docs/images/picture.py RESULTS.hdf FIELD OUT.png [SCALE [STATE [STRETCH]]]
    SCALE of the displacement, 0 for none; STATE from 0; STRETCH of x, for slender bodies
"""
import sys

import vtk

path, field, out = sys.argv[1:4]
scale = float(sys.argv[4]) if len(sys.argv) > 4 else 0.0

reader = vtk.vtkHDFReader()
reader.SetFileName(path)
reader.Update()
if hasattr(reader, "SetStep") and reader.GetNumberOfSteps() > 1:
    reader.SetStep(int(sys.argv[5]) if len(sys.argv) > 5 else reader.GetNumberOfSteps() - 1)
    reader.Update()
grid = reader.GetOutput()
if len(sys.argv) > 6:
    stretch = vtk.vtkTransform()
    stretch.Scale(float(sys.argv[6]), 1, 1)
    stretched = vtk.vtkTransformFilter()
    stretched.SetTransform(stretch)
    stretched.SetInputData(grid)
    stretched.Update()
    grid = stretched.GetOutput()
grid.GetPointData().SetActiveScalars(field)
source = grid
if scale:
    grid.GetPointData().SetActiveVectors("displacement")
    warp = vtk.vtkWarpVector()
    warp.SetInputData(grid)
    warp.SetScaleFactor(scale)
    warp.Update()
    source = warp.GetOutput()
    source.GetPointData().SetActiveScalars(field)
surface = vtk.vtkDataSetSurfaceFilter()
surface.SetInputData(source)
surface.SetNonlinearSubdivisionLevel(1)
surface.Update()
mapper = vtk.vtkPolyDataMapper()
mapper.SetInputConnection(surface.GetOutputPort())
mapper.SelectColorArray(field)
mapper.SetScalarModeToUsePointFieldData()
table = vtk.vtkLookupTable()
table.SetHueRange(0.667, 0.0)
table.Build()
mapper.SetLookupTable(table)
mapper.SetScalarRange(surface.GetOutput().GetPointData().GetArray(field).GetRange())
bounds = grid.GetBounds()
flat = bounds[4] == bounds[5]
actor = vtk.vtkActor()
actor.SetMapper(mapper)
bar = vtk.vtkScalarBarActor()
bar.SetLookupTable(table)
bar.SetTitle(field)
bar.SetNumberOfLabels(4)
bar.SetMaximumWidthInPixels(90)
bar.GetTitleTextProperty().SetColor(0.1, 0.1, 0.1)
bar.GetLabelTextProperty().SetColor(0.1, 0.1, 0.1)
renderer = vtk.vtkRenderer()
renderer.AddActor(actor)
if flat:
    edges = vtk.vtkExtractEdges()
    edges.SetInputData(source)
    edge_mapper = vtk.vtkPolyDataMapper()
    edge_mapper.SetInputConnection(edges.GetOutputPort())
    edge_mapper.ScalarVisibilityOff()
    edge_actor = vtk.vtkActor()
    edge_actor.SetMapper(edge_mapper)
    edge_actor.GetProperty().SetColor(0.2, 0.2, 0.2)
    edge_actor.GetProperty().SetLineWidth(1)
    edge_actor.AddPosition(0, 0, 1e-3 * max(bounds[1] - bounds[0], bounds[3] - bounds[2]))
    renderer.AddActor(edge_actor)
renderer.AddViewProp(bar)
renderer.SetBackground(1, 1, 1)
window = vtk.vtkRenderWindow()
window.SetOffScreenRendering(1)
window.SetSize(900, 640)
window.AddRenderer(renderer)
camera = renderer.GetActiveCamera()
camera.SetPosition(*((0, 0, 1) if flat else (1.0, -1.4, 0.9)))
camera.SetFocalPoint(0, 0, 0)
camera.SetViewUp(*((0, 1, 0) if flat else (0, 0, 1)))
renderer.ResetCamera()
camera.Zoom(0.9 if flat else 1.05)
window.Render()
image = vtk.vtkWindowToImageFilter()
image.SetInput(window)
writer = vtk.vtkPNGWriter()
writer.SetFileName(out)
writer.SetInputConnection(image.GetOutputPort())
writer.Write()
